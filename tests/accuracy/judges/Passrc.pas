{ fcl-passrc, the parser of Free Pascal's own tools: the declarations of a unit, and the members of its types. Code that a condition
  (`$IFDEF`) leaves out is not seen. }
program Passrc;
{$mode objfpc}{$H+}
uses Classes, SysUtils, PasTree, PParser, PScanner;

type
  TEngine = class(TPasTreeContainer)
  public
    function CreateElement(AClass: TPTreeElement; const AName: String; AParent: TPasElement;
      AVisibility: TPasMemberVisibility; const ASourceFilename: String; ASourceLinenumber: Integer): TPasElement; override;
    function FindElement(const AName: String): TPasElement; override;
  end;

  { Reports the lines that conditions leave out: follows the scanner's directives, because the scanner does not report skipped code. }
  TScanner = class(TPascalScanner)
  private
    FState: array[0..255] of (Seen, Sought, Done, Hidden); { a branch is read; one is still to come; it has been read; all are left out }
    FDepth, FSkippedFrom: Integer;
    FRejected: Boolean;
    procedure Logged(Sender: TObject; const Text: String);
    function Skips: Boolean;
  protected
    function HandleDirective(const Text: String): TToken; override;
  public
    constructor Create(AResolver: TBaseFileResolver);
  end;

var
  Path: String;

constructor TScanner.Create(AResolver: TBaseFileResolver);
begin
  inherited Create(AResolver);
  LogEvents := [sleConditionals];
  OnLog := @Logged;
end;

procedure TScanner.Logged(Sender: TObject; const Text: String);
begin
  case LastMsgNumber of
    nLogIFDefRejected, nLogIFNDefRejected, nLogIFRejected, nLogIFOptRejected, nLogELSEIFRejected: FRejected := True;
  end;
end;

function TScanner.Skips: Boolean;
begin
  Skips := (FDepth > 0) and (FState[FDepth - 1] <> Seen);
end;

function TScanner.HandleDirective(const Text: String): TToken;
var
  Word: String;
  Outer: Boolean;
  Row: Integer;
begin
  Outer := Skips;
  Row := CurRow;
  Word := UpperCase(Copy(Text + ' ', 2, Pos(' ', Text + ' ') - 2));
  FRejected := False;
  Result := inherited HandleDirective(Text);
  case Word of
    'IFDEF', 'IFNDEF', 'IFOPT', 'IF':
    begin
      if Outer then FState[FDepth] := Hidden
      else if FRejected then FState[FDepth] := Sought
      else FState[FDepth] := Seen;
      Inc(FDepth);
    end;
    'ELSE', 'ELSEIF':
      if FState[FDepth - 1] = Seen then FState[FDepth - 1] := Done
      else if (FState[FDepth - 1] = Sought) and not FRejected then FState[FDepth - 1] := Seen;
    'ENDIF', 'IFEND': Dec(FDepth);
  end;
  if Skips and not Outer then FSkippedFrom := Row
  else if Outer and not Skips and (CurFilename = Path) then
    WriteLn('{"path": "', Path, '", "skip": [', FSkippedFrom, ', ', Row, ']}');
end;

function TEngine.CreateElement(AClass: TPTreeElement; const AName: String; AParent: TPasElement;
  AVisibility: TPasMemberVisibility; const ASourceFilename: String; ASourceLinenumber: Integer): TPasElement;
begin
  Result := AClass.Create(AName, AParent);
  Result.Visibility := AVisibility;
  Result.SourceFilename := ASourceFilename;
  Result.SourceLinenumber := ASourceLinenumber;
end;

function TEngine.FindElement(const AName: String): TPasElement;
begin
  Result := nil;
end;

procedure Put(Element: TPasElement; const Scope, Kind: String);
begin
  if (Element.Name = '') or (ExtractFileName(Element.SourceFilename) <> ExtractFileName(Path)) then exit;
  WriteLn('{"path": "', Path, '", "line": ', Element.SourceLinenumber, ', "name": "', Element.Name, '", "container": "', Scope,
    '", "kind": "', Kind, '"}');
end;

procedure Visit(Element: TPasElement; const Scope: String; Member: Boolean); forward;

{ The members of a type, including those of a record's variants. }
procedure Members(Element: TPasMembersType; const Scope: String);
var
  I: Integer;
  Variants: TFPList;
begin
  for I := 0 to Element.Members.Count - 1 do Visit(TPasElement(Element.Members[I]), Scope, True);
  if not (Element is TPasRecordType) then exit;
  if TPasRecordType(Element).VariantEl is TPasVariable then Visit(TPasRecordType(Element).VariantEl, Scope, True);
  Variants := TPasRecordType(Element).Variants;
  if Variants <> nil then
    for I := 0 to Variants.Count - 1 do Members(TPasVariant(Variants[I]).Members, Scope);
end;

procedure Visit(Element: TPasElement; const Scope: String; Member: Boolean);
var
  I, Dot: Integer;
  Inner: String;
begin
  if Scope = '' then Inner := Element.Name else Inner := Scope + '.' + Element.Name;
  if Element is TPasOverloadedProc then
    for I := 0 to TPasOverloadedProc(Element).Overloads.Count - 1 do
      Visit(TPasElement(TPasOverloadedProc(Element).Overloads[I]), Scope, Member)
  else if Element is TPasOperator then exit
  else if (Element is TPasProcedure) and (Pos('.', Element.Name) > 0) then
  begin
    { The body of a method has its full name. }
    Dot := LastDelimiter('.', Element.Name);
    Inner := Copy(Element.Name, 1, Dot - 1);
    Element.Name := Copy(Element.Name, Dot + 1, MaxInt);
    if Element is TPasConstructor then Put(Element, Inner, 'constructor') else Put(Element, Inner, 'method');
  end
  else if Element is TPasConstructor then Put(Element, Scope, 'constructor')
  else if Element is TPasProcedure then
    if Member then Put(Element, Scope, 'method') else Put(Element, Scope, 'procedure')
  else if Element is TPasProperty then Put(Element, Scope, 'property')
  else if (Element is TPasConst) or (Element is TPasResString) then Put(Element, Scope, 'const')
  else if Element is TPasVariable then
    if Member then Put(Element, Scope, 'field') else Put(Element, Scope, 'var')
  else if Element is TPasEnumType then
  begin
    Put(Element, Scope, 'enum');
    for I := 0 to TPasEnumType(Element).Values.Count - 1 do Put(TPasElement(TPasEnumType(Element).Values[I]), Inner, 'value');
  end
  else if Element is TPasMembersType then
  begin
    if (Element is TPasClassType) and (TPasClassType(Element).ObjKind in [okInterface, okDispInterface]) then Put(Element, Scope, 'interface')
    else if Element is TPasRecordType then Put(Element, Scope, 'record')
    else Put(Element, Scope, 'class');
    Members(TPasMembersType(Element), Inner);
  end
  else if Element is TPasType then Put(Element, Scope, 'type');
end;

function Parsed(Engine: TEngine): TPasModule;
var
  Resolver: TFileResolver;
  Scanner: TScanner;
  Parser: TPasParser;
begin
  Result := nil;
  Resolver := TFileResolver.Create;
  Resolver.AddIncludePath(ExtractFilePath(Path));
  Scanner := TScanner.Create(Resolver);
  Scanner.SetCompilerMode('DELPHI');
  Parser := TPasParser.Create(Scanner, Resolver, Engine);
  Parser.ImplicitUses.Clear;
  try
    Scanner.OpenFile(Path);
    Parser.ParseMain(Result);
  finally
    Parser.Free;
    Scanner.Free;
    Resolver.Free;
  end;
end;

procedure Declared(Section: TPasSection);
var
  I: Integer;
  Element: TPasElement;
begin
  if Section = nil then exit;
  for I := 0 to Section.Declarations.Count - 1 do
  begin
    Element := TPasElement(Section.Declarations[I]);
    Visit(Element, '', False);
  end;
end;

var
  Module: TPasModule;
  Engine: TEngine;
begin
  while not EOF do
  begin
    ReadLn(Path);
    Engine := TEngine.Create;
    Module := nil;
    try
      Module := Parsed(Engine);
      { A program without a heading is named like its file. }
      if Pos('/', Module.Name) = 0 then Put(Module, '', 'module');
      Declared(Module.InterfaceSection);
      Declared(Module.ImplementationSection);
      if Module is TPasProgram then Declared(TPasProgram(Module).ProgramSection);
      if Module is TPasLibrary then Declared(TPasLibrary(Module).LibrarySection);
    except
      on E: Exception do WriteLn('{"path": "', Path, '", "error": "syntax"}');
    end;
    Engine.Free;
  end;
end.
