{-# LANGUAGE GADTs, PartialTypeSignatures #-}
-- GHC's parser: declarations of a module and of its classes and instances; values in functions are left out.
module Main (main) where

import Control.Exception (SomeException, try)
import Control.Monad.IO.Class (liftIO)
import Data.List (intercalate, isPrefixOf)
import qualified Data.Set as Set
import GHC hiding (parseModule)
import GHC.Data.Bag (bagToList)
import GHC.Data.FastString (mkFastString)
import GHC.Data.StringBuffer (hGetStringBuffer)
import GHC.Driver.Session
import GHC.LanguageExtensions.Type (Extension (..))
import GHC.Parser (parseModule)
import GHC.Parser.Header (getOptions)
import GHC.Parser.Lexer
import GHC.Types.Name.Occurrence (occNameString)
import GHC.Types.Name.Reader (rdrNameOcc)
import GHC.Types.SrcLoc
import System.Environment (getArgs)
import System.IO

type Row = (Int, String, [String], String)

usual :: [Extension]
usual =
  [ LambdaCase, TupleSections, RankNTypes, KindSignatures, TypeOperators, GADTs, TypeFamilies, DataKinds, BangPatterns, MultiWayIf
  , ScopedTypeVariables, FlexibleContexts, FlexibleInstances, MultiParamTypeClasses, FunctionalDependencies, StandaloneDeriving
  , DerivingStrategies, DerivingVia, GeneralizedNewtypeDeriving, DeriveGeneric, DeriveAnyClass, DefaultSignatures, RecordWildCards
  , ViewPatterns, PackageImports, TypeApplications, EmptyCase, InstanceSigs, ConstraintKinds, NumericUnderscores
  , BinaryLiterals, ExplicitNamespaces, RoleAnnotations, StandaloneKindSignatures, ExistentialQuantification, PatternGuards
  , EmptyDataDeriving, ImportQualifiedPost, OverloadedStrings, QuantifiedConstraints, NegativeLiterals ]

row :: String -> [String] -> Located RdrName -> [Row]
row kind scope (L (RealSrcSpan at _) name) = [(srcSpanStartLine at, occNameString (rdrNameOcc name), scope, kind)]
row _ _ _ = []

text :: Located RdrName -> String
text = occNameString . rdrNameOcc . unLoc

declaration :: LHsDecl GhcPs -> [Row]
declaration (L _ (TyClD _ each)) = case each of
  DataDecl {tcdLName = name, tcdDataDefn = body} -> row "data" [] name ++ constructors [text name] body
  SynDecl {tcdLName = name} -> row "synonym" [] name
  FamDecl {tcdFam = family} -> row "family" [] (fdLName family)
  ClassDecl {tcdLName = name, tcdSigs = sigs, tcdMeths = _, tcdATs = families} ->
    row "class" [] name ++ concatMap (signature [text name]) sigs ++ concat [row "family" [text name] (fdLName one) | L _ one <- families]
  _ -> []
declaration (L _ (ValD _ each)) = binding "" [] each
declaration (L _ (ForD _ (ForeignImport {fd_name = name}))) = row "function" [] name
declaration (L _ (InstD _ (ClsInstD _ (ClsInstDecl {cid_binds = binds})))) =
  concat [map unscoped (binding "method" [] one) | L _ one <- bagToList binds]
declaration _ = []

unscoped :: Row -> Row
unscoped (line, name, _, kind) = (line, name, ["*"], kind)

signature :: [String] -> LSig GhcPs -> [Row]
signature scope (L _ (ClassOpSig _ False names _)) = concatMap (row "method" scope) names
signature _ _ = []

binding :: String -> [String] -> HsBind GhcPs -> [Row]
binding kind scope (FunBind {fun_id = name, fun_matches = MG {mg_alts = L _ alts}}) =
  row (if null kind then (if bare alts then "value" else "function") else kind) scope name
  where bare [L _ match] = null (m_pats match)
        bare _ = False
binding _ scope (PatSynBind _ (PSB {psb_id = name})) = row "pattern" scope name
binding _ scope (PatBind {pat_lhs = pattern}) = concatMap (row "value" scope) (variables pattern)
binding _ _ _ = []

variables :: LPat GhcPs -> [Located RdrName]
variables (L _ each) = case each of
  VarPat _ name -> [name]
  TuplePat _ parts _ -> concatMap variables parts
  ParPat _ one -> variables one
  BangPat _ one -> variables one
  LazyPat _ one -> variables one
  SigPat _ one _ -> variables one
  ConPat _ _ (PrefixCon parts) -> concatMap variables parts
  _ -> []

constructors :: [String] -> HsDataDefn GhcPs -> [Row]
constructors scope body = concatMap one (dd_cons body)
  where
    one (L _ (ConDeclGADT {con_names = names, con_args = args})) = concatMap (row "constructor" scope) names ++ fields args
    one (L _ (ConDeclH98 {con_name = name, con_args = args})) = row "constructor" scope name ++ fields args
    one _ = []
    fields (RecCon (L _ all')) = concat [row "field" scope (rdrNameFieldOcc (unLoc name)) | L _ group <- all', name <- cd_fld_names group]
    fields _ = []

quoted :: String -> String
quoted value = "\"" ++ concatMap escape value ++ "\""
  where escape each | each `elem` "\"\\" = ['\\', each]
                    | each < ' ' = " "
                    | otherwise = [each]

once :: [Row] -> [Row]
once = go Set.empty
  where go _ [] = []
        go seen (each@(_, name, scope, kind) : rest)
          | kind `elem` ["function", "field", "constructor"] && Set.member (name, scope) seen = go seen rest
          | otherwise = each : go (Set.insert (name, scope) seen) rest

judge :: DynFlags -> FilePath -> IO ()
judge start path = do
  answer <- try (hGetStringBuffer path) :: IO (Either SomeException _)
  case answer of
    Left _ -> failed "unread"
    Right buffer -> do
      let options = getOptions start buffer path
      read' <- try (parseDynamicFilePragma start options) :: IO (Either SomeException (DynFlags, [Located String], _))
      case read' of
        Left _ -> failed "options"
        Right (flags, _, _)
          | xopt Cpp flags -> failed "preprocessed"
          | otherwise -> case unP parseModule (mkPState flags buffer (mkRealSrcLoc (mkFastString path) 1 1)) of
              POk _ (L _ found) -> mapM_ print' (once (header found ++ concatMap declaration (hsmodDecls found)))
              PFailed _ -> failed "syntax"
  where
    header found = case hsmodName found of
      Just (L (RealSrcSpan at _) name) -> [(srcSpanStartLine at, moduleNameString name, [], "module")]
      _ -> []
    failed why = putStrLn ("{\"path\": " ++ quoted path ++ ", \"error\": " ++ quoted why ++ "}")
    print' (line, name, scope, kind) =
      putStrLn ("{\"path\": " ++ quoted path ++ ", \"line\": " ++ show line ++ ", \"name\": " ++ quoted name
        ++ (if scope == ["*"] then "" else ", \"container\": " ++ quoted (intercalate "." scope)) ++ ", \"kind\": " ++ quoted kind ++ "}")

main :: IO ()
main = do
  [lib] <- getArgs
  mapM_ (`hSetEncoding` utf8) [stdin, stdout]
  paths <- lines <$> getContents
  runGhc (Just lib) $ do
    flags <- getSessionDynFlags
    let wide = foldl xopt_set flags usual
    liftIO (mapM_ (judge wide) paths)
