"""Libraries as our commands load them: what is left out is there when it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = "from symindex.serve.light_imports import load_numpy_lightly; load_numpy_lightly(); import sys, numpy as np; "
LOADED = "[name for name in sys.modules if name.startswith('numpy._typing.')]"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hints_are_not_loaded() -> None:
    assert run(BEFORE + f"print({LOADED})") == "[]\n"
    assert run(f"import sys, numpy as np; print(len({LOADED}) > 5)") == "True\n"  # there is something to leave out


@pytest.mark.parametrize(
    "code",
    [
        "import numpy.typing as hints; print(hints.NDArray[np.int64])",
        "from numpy.typing import ArrayLike; print(ArrayLike)",
        "print(np.typing.NDArray[np.int64])",
        "from numpy._typing import NDArray; print(NDArray[np.int64])",
        "from numpy._typing._nbit_base import NBitBase; print(NBitBase)",
        "import numpy._typing as hints; print(hints.ArrayLike)",
    ],
)
def test_hints_are_there_when_they_are_asked_for(code: str) -> None:
    assert run(BEFORE + code) == run("import sys, numpy as np; " + code)


def test_numbers_are_the_same() -> None:
    code = "print(np.linalg.eigh(np.eye(2)), np.linalg.matrix_power(np.arange(4).reshape(2, 2), 3), np.unique([2, 1, 2]))"
    assert run(BEFORE + code) == run("import sys, numpy as np; " + code)


def test_a_program_that_has_numpy_keeps_it() -> None:
    after = "import numpy as np, sys; from symindex.serve.light_imports import load_numpy_lightly as light; light(); "
    assert run(after + "import numpy.typing; print(len(sys.meta_path))") == run("import sys; print(len(sys.meta_path))")


def test_our_commands_load_it_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def one(): pass\n")
    code = f"import os, sys; os._exit = lambda code: print('numpy' in sys.modules, {LOADED}); "
    code += f"sys.argv = ['symindex', 'index', '--root', {str(tmp_path)!r}]; from symindex.__main__ import main; main()"
    assert run(code).splitlines()[-1] == "True []"
    library = f"import sys, symindex; print(symindex.open({str(tmp_path)!r}).search('one').total, len({LOADED}) > 5)"
    assert run(library) == "1 True\n"  # a program's numpy is left as it is


def test_msgspec_does_without_another_typing() -> None:
    before = "from symindex.serve.light_imports import load_msgspec_lightly as light; light(); import sys, msgspec; "
    assert run(before + "print('typing_extensions' in sys.modules)") == "False\n"
    code = "import typing_extensions, typing; S = msgspec.defstruct('S', [('a', typing.Annotated[int, msgspec.Meta(ge=1)])]); "
    code += "print(msgspec.json.decode(b'{\"a\": 1}', type=S), msgspec.json.schema(S), typing_extensions.__name__)"
    assert run(before + code) == run("import msgspec; " + code)
