{ fcl-passrc, the parser of Free Pascal's own tools: what a unit declares, and the members of its types. }
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

var
  Path: String;

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
    { The body of a method bears its whole name. }
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
    for I := 0 to TPasMembersType(Element).Members.Count - 1 do Visit(TPasElement(TPasMembersType(Element).Members[I]), Inner, True);
  end
  else if Element is TPasType then Put(Element, Scope, 'type');
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
      Module := ParseSource(Engine, ['-Sd', '-Fi' + ExtractFilePath(Path), Path], 'linux', 'x86_64', [poSkipDefaultDefs]);
      Put(Module, '', 'module');
      Declared(Module.InterfaceSection);
      Declared(Module.ImplementationSection);
      if Module is TPasProgram then Declared(TPasProgram(Module).ProgramSection);
    except
      on E: Exception do WriteLn('{"path": "', Path, '", "error": "syntax"}');
    end;
    Engine.Free;
  end;
end.
