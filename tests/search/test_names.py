"""Matching a needle against one name: the tier that matches, and the order of matches."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from symindex.search.match.division import can_divide_runs, divide_humps
from symindex.search.match.names import (
    BAND_TOLERANCE,
    BANDS,
    Needle,
    Tier,
    match_strong,
    match_subsequence,
    match_typo,
    tier_of,
)
from symindex.text.folding import fold, word_starts


def best(needle: str, name: str) -> float:
    prepared = Needle(needle)
    return (
        match_strong(prepared, name, fold(name))
        or match_typo(prepared, name, fold(name))
        or match_subsequence(prepared, name, fold(name))
    )


TIERS = """
exact        parseRequest   parseRequest
exact        parserequest   parseRequest
exact        parse_request  parseRequest
exact        parse_Request  parseRequest
prefix       parseRequest   parse_request
exact        parse-request  PARSE_REQUEST
exact        überblick      Überblick
exact        uberblick      Überblick
exact        strasse        Straße
exact        __init__       __init__
exact        +              +
prefix       parse          parseRequest
prefix       PARSE          parseRequest
prefix       parser         parse_request
prefix       parsereq       parse_request
prefix       operator=      operator==
humps        ibfo           initBookForOfficial
humps        inBkOff        initBookForOfficial
humps        ibo            initBookForOfficial
humps        bo             initBookForOfficial
humps        u_p            unique_ptr
humps        up             unique_ptr
humps        uptr           unique_ptr
humps        NPE            NullPointerException
humps        npe            NullPointerException
humps        NuPoEx         NullPointerException
humps        hs             HTTPServer
humps        HServ          HTTPServer
humps        httpserv       AsyncHTTPServer
humps        gAE            getAllElements
humps        s2             sha_2
humps        aserv          AuthService
humps        AuSe           AuthService
substring    calc           recalculate
substring    service        AuthServiceConfig
substring    Service        auth_service_config
substring    uest           parseRequest
substring    ==             operator==
typo         QurySet        QuerySet
typo         pasreRequest   parseRequest
typo         recieve        receive_message
typo         adress         setAddress
subsequence  prsrq          parseRequest
humps        qset           QuerySet
typo         qureyset       queryset
none         xyz            parseRequest
none         tes            est
none         abc            cba
none         a              zz
none         qst            request
none         requestparse   parseRequest
none         ki             initBookForOfficial
none         foo            fo
none         cat            dog
"""

# Rules that the matchers of editors share, on names of our own.
EDITORS = """
# any case will do; a capital that the name has not makes it no exact match
prefix       RiVeR          river
exact        river          RiVeR
prefix       RiVe           rIVER
prefix       UServ          userVault
# a prefix may end in a later word
prefix       loadpage       load_page_table
prefix       loadpage       LoadPageTable
prefix       my             _myPanel
# humps: initials, beginnings, both; words skipped at the start, in the middle, at the end
humps        pwr            PaperWeightRules
humps        paweru         PaperWeightRules
humps        pweightr       PaperWeightRules
humps        pr             PaperWeightRules
humps        weru           PaperWeightRules
humps        PaperRu        PaperWeightRules
humps        PaperWRu       PaperWeightRules
humps        wr             _paperWeightRules
humps        pwr            paper-weight-rules
humps        PWR            PAPER_WEIGHT_RULES
humps        pw_ru          PAPER_WEIGHT_RULES
humps        Pruled         PaperRuledSheet
humps        pRu            paper_rule
humps        p2d            paintCanvas2D
humps        123            1b2_33
humps        LLL            SmallLampLightsList
humps        SiUI           SimpleUIPanel
humps        NSUSD          NSUserDrafts
humps        PDFRe          PdfOfReader
humps        wpro           _workPieceProvider
humps        cowpro         CoolOwlProvider
# a run of capitals is initials as well as a beginning; words may be skipped between them
humps        cutFR          makeCutForRiver
humps        cutFR          makeCutThenForAnyRiver
humps        aLWS           aLampWith1Switch
humps        oldURL         oldBaseURL
humps        oldURLP        oldBaseURLParser
humps        UTF16DS        UTF16DraftScanner
humps        UTF1DS         UTF16DraftScanner
humps        MD5Sum         myMD5OfSums
# behind the first part, a capital and a consonant may leave out vowels; what leaves out more may be a misspelling
humps        makeBkFor      makeBookForRiver
humps        aLpBeam        aLampBoatLoopBeam
typo         make_contxt    make_context
typo         get_curent_contxt  get_current_context
typo         HelpFormtter   HelpFormatter
subsequence  cntxt_invk     context_invoke
subsequence  optn_parser    OptionParser
subsequence  getCtx         getContext
subsequence  BkFor          BookForRiver
subsequence  mk_book        make_book
subsequence  inBkOff        initBoookOfficial
# what stands together in the middle, though it crosses words
substring    perwei         PaperWeight
substring    rdoc           TailorDocument
substring    r-we           paper-weight
substring    rukey          SLRUKey
substring    codes          PaperISOWeightCodes
substring    _p             my_panel
# letters alone are the last resort; the first begins a word
subsequence  pgt            PaperWeight
subsequence  rvr            river
subsequence  uq             unique_ptr
# inside a run of capitals each may be a word's initial, for whoever types it as one
subsequence  THRE           HTMLHRElement
subsequence  TeE            HTMLHRElement
subsequence  LEt            HTMLHRElement
none         thre           HTMLHRElement
none         LtE            HtmlHrElement
none         ivr            river
none         qp             unique_ptr
# not in this order, too often, or not at all
none         ruwe           PaperWeightRules
none         PWK            PaperWeightRules
none         PaWRa          PaperWeightRules
none         LTT            LampTop
none         LaaaP          LampPost
none         LLLL           SmallLampLightsList
none         aPW            PaperWeight
none         UTF16DS        UTF8DraftScanner
none         a              Opener
none         T              4
"""

MATCHES = [line for line in (TIERS + EDITORS).splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("line", MATCHES, ids=lambda line: " ".join(line.split()[1:]))
def test_tier(line: str) -> None:
    tier, needle, name = line.split()
    score = best(needle, name)
    assert (tier_of(score).name.lower() if score else "none") == tier


ORDERS = """
auth: Auth > auth_x > authX > AuthService > AuthorizationService > OAuth > reauthorize
parse_request: parse_request > parseRequest > parse_request_body > parseRequestBody > tryParseRequest
up: up > up_down > update > UserPref > unique_ptr > set_up > backup
calc: calc > calc_tax > calculate > calculate_total > CalcTotal > do_calc > recalculate
gs: gs > getSize > getTotalSize > bigs
sfi: sfi > setFileInfo > storeFactoryInitial > setTheFileInfo > someFunnyOldInfo
HTTPServer: HTTPServer > HTTPServerFactory > HttpServer > http_server > AsyncHTTPServer
river: river > River > RIVER > river_bed > riverBed > RiverBed > oldRiver > driver
log: log > logger > logger_factory > ScrollLog > RollLogical > catalogue
_inks: _inks > _inkS > _inksOfText > my_inks
_inkS: _inkS > _inkStand > _inks > _inkstand
test: test > tests > atest > thetest > greatest
lpa: lpa > LampPostArm > LampsPostArm > LampPostArmChair > LampTopPostArm > TooLampPostArm
fld: fld > fld_of > FieldLowDraft > FieldAndLowDraft > BigFieldLowDraft
apb: apb > apbs > AnyPaperBag > a_paper_and_bag > tapbook
psfi: PseudoFileImage > PseudoLavaFileBaseImage
certExce: CertException > CertEncodingException
kn: knot > kitchenNote > night_knot > iknow
Foo: Foo > FooBar > FooBarOfManyMoreWords > Fooex > fooBar > fooex
foo: foo > foo2 > foo_bar_of_many_more_words > fooex > FooBar > Fooex
fooba: fooba > foobaz > FooBaZar > foo_ba_zar > foo_baz
HTTP: HTTP > HTTPServerOfSomething > HTTPS > http > httpServer > https
foo_: foo_ > foo_bar > foobar
"""

# Capitals in the needle are deliberate: names with the same capitals rank first among equals.
CAPITALS = """
River: River > RiverBed > Rivers > river > riverBed > rivers > OldRiver > old_river > driver
BeanJar: BeanJar > BeanJarLids > BeanJars > beanJar > bean_jar > beanJarLid > beanJars
FP: FlagPole > flagPole > flag_pole_x
FP: FlagPoleBase > flag_pole
fP: flagPole > FlagPole
uCN: under_Coffee_Nest > under_coffee_nest
GEN: GetExternalNode > GetNote
MUP: MineUrlProvider > MakeUp
MUp: MakeUp > MineUrlProvider
cL: classList > class > coreList
getU: getURL > getUser > GetUser > getup > get_upper
Set: Set > SetOf > MySet > my_set > offset
"""


@pytest.mark.parametrize("line", ORDERS.strip().splitlines(), ids=lambda line: line.split(":")[0])
def test_order(line: str) -> None:
    needle, names = line.split(":")
    scores = [(best(needle, name.strip()), name.strip()) for name in names.split(">")]
    assert [name for _, name in sorted(scores, key=lambda pair: -pair[0])] == [
        name for _, name in scores
    ]
    assert all(score > 0 for score, _ in scores)


@pytest.mark.parametrize("line", CAPITALS.strip().splitlines(), ids=lambda line: line.split(">")[0])
def test_capitals_come_first(line: str) -> None:
    needle, names = line.split(":")
    scores = [best(needle, name.strip()) for name in names.split(">")]
    assert scores == sorted(set(scores), reverse=True)


# Within a tier, each step scores strictly more than the next.
STEPS = """
parse_request: parse_request > Parse_Request > parseRequest
Parse_Request: Parse_Request > Parse_Request_of_many > Parse_Requests > parse_request > parseRequest > parse_request_of_many
adress: address > address_book > set_address
"""


@pytest.mark.parametrize("line", STEPS.strip().splitlines(), ids=lambda line: line.split(":")[0])
def test_steps(line: str) -> None:
    needle, names = line.split(":")
    scores = [best(needle, name.strip()) for name in names.split(">")]
    assert scores == sorted(set(scores), reverse=True)


def test_bands_are_apart() -> None:
    """A better tier always scores higher, even after the largest deduction that a tier allows."""
    for (lowest, highest), (_, next_highest) in pairwise(BANDS.values()):
        assert next_highest < lowest - BAND_TOLERANCE < lowest < highest


@pytest.mark.sample(12)
@pytest.mark.parametrize("needle", ["a" * 50, "aB" * 50, "a_" * 50, "b" * 500, "ab" * 20])
@pytest.mark.parametrize("name", ["a_" * 2_000, "aB" * 2_000, "a" * 5_000, "ab_ba_" * 500])
def test_names_and_needles_of_many_words_take_no_time(needle: str, name: str) -> None:
    started = time.process_time()
    best(needle, name)
    assert time.process_time() - started < 1.0


WORDS = {
    "parseHTTPRequest_v2": ["parse", "HTTP", "Request", "v", "2"],
    "unique_ptr": ["unique", "ptr"],
    "__init__": ["init"],
    "utf8Decode": ["utf", "8", "Decode"],
    "LIMIT_MAX": ["LIMIT", "MAX"],
    "élanVital": ["elan", "Vital"],
    "größeÄndern": ["große", "Andern"],
    "снегПадает": ["снег", "Падает"],
    "operator==": ["operator"],
    "logs in twice": ["logs", "in", "twice"],
}


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    starts = word_starts(name)
    assert [fold(name)[start:][:1] for start in starts] == [fold(word)[:1] for word in WORDS[name]]


NAMES = st.text(st.sampled_from("abcXYZ_-019éßĳ $≠"), min_size=1, max_size=12)


@given(NAMES)
def test_a_name_finds_itself_with_the_full_score(name: str) -> None:
    assert best(name, name) == 1.0


@given(NAMES, NAMES)
def test_only_equality_scores_one_and_bands_hold(needle: str, name: str) -> None:
    score = best(needle, name)
    assert (score == 1.0) == (needle == name)
    assert score == 0.0 or any(low <= score <= high for low, high in BANDS.values())


@pytest.mark.nightly
@settings(deadline=None)  # the first call imports rapidfuzz
@given(st.text("abc_X", min_size=4, max_size=16), st.data())
def test_an_edit_is_a_typo(name: str, data: st.DataObject) -> None:
    """A name with the permitted number of edits is still found: the filter that runs before the
    distance is computed loses nothing."""
    needle = name
    for _ in range(Needle(name).max_typos):
        position = data.draw(st.integers(0, len(needle) - 1))
        edit = data.draw(st.sampled_from(["replace", "delete", "insert", "swap"]))
        middle = {
            "replace": "z",
            "delete": "",
            "insert": needle[position] + "z",
            "swap": needle[position : position + 2][::-1],
        }[edit]
        needle = needle[:position] + middle + needle[position + (2 if edit == "swap" else 1) :]
    prepared = Needle(needle)
    if OSA.distance(prepared.folded, fold(name)) <= prepared.max_typos:
        assert match_typo(prepared, name, fold(name)) > 0


@given(NAMES, st.integers(1, 12))
def test_every_beginning_is_a_prefix_match(name: str, size: int) -> None:
    score = best(name[:size], name)
    assert tier_of(score) <= Tier.PREFIX


LETTERS = st.text(st.sampled_from("ab"), max_size=4)


@given(
    st.lists(LETTERS.filter(bool), min_size=2, max_size=3),
    st.lists(LETTERS, max_size=5),
    st.booleans(),
)
def test_runs_can_be_divided_where_there_is_a_cost(
    runs: list[str], words: list[str], is_contracted: bool
) -> None:
    contracted = frozenset({len(runs[0])} if is_contracted and len(runs[1]) == 2 else ())
    can_be_divided = can_divide_runs(tuple(runs), words, contracted)
    assert can_be_divided == (divide_humps(tuple(runs), words, contracted) is not None)
