import java.io.File
import scala.collection.mutable
import scala.reflect.internal.util.{BatchSourceFile, Position}
import scala.reflect.io.AbstractFile
import scala.tools.nsc.{Global, Settings}
import scala.tools.nsc.reporters.StoreReporter

/**
 * Prints what scalac binds each name to, in files that may lack dependencies.
 *
 * Arguments: a class path, then files. Output: rows of `use`, `subtype` (a type, or the member
 * around one without a name, and a direct supertype) or `override` (a member, one that it
 * overrides) and two places, with tabs between them. A place is a path, a line and a column,
 * 1-based; an empty path is outside of the files.
 */
object Collect {
  def main(words: Array[String]): Unit = {
    val settings = new Settings(message => System.err.println(message))
    settings.classpath.value = words.head
    settings.Yrangepos.value = true
    settings.stopAfter.value = List("typer")
    settings.language.add("_")
    val compiler = new Global(settings, new StoreReporter) with Places
    val files = words.tail.map(path => new BatchSourceFile(AbstractFile.getFile(new File(path)))).toList
    val run = new compiler.Run
    run.compileSources(files)
    run.units.filterNot(_.isJava).foreach(unit => compiler.collect(unit))
    compiler.rows.foreach(println)
  }
}

trait Places { this: Global =>
  val rows = mutable.LinkedHashSet[String]()
  val outside = "\t0\t0"

  /** The names that a symbol may be written with: the setter of `a` is `a_=`. */
  def nameOf(symbol: Symbol): String = symbol.name.decoded.trim.stripSuffix("_=")

  /** The place of a name in a file; `None` if another text is there. */
  def placeOf(position: Position, name: String, offset: Int): Option[String] = {
    val text = position.source.content
    val begin = if (text.lift(offset) == Some('`')) offset + 1 else offset
    val end = begin + name.length
    val isWord = name != "" && Character.isJavaIdentifierPart(name.charAt(name.length - 1))
    val isThere = name != "" && begin >= 0 && end <= text.length &&
      new String(text, begin, name.length) == name &&
      !(isWord && text.lift(end).exists(Character.isJavaIdentifierPart)) &&
      !(isWord && begin > 0 && Character.isJavaIdentifierPart(text(begin - 1)))
    if (!isThere) return None
    val line = position.source.offsetToLine(begin)
    val column = begin - position.source.lineToOffset(line) + 1
    Some(s"${position.source.file.path}\t${line + 1}\t$column")
  }

  /** The place of a symbol's definition; `None` if it has no name in the files. */
  def definition(symbol: Symbol): Option[String] =
    if (symbol == null || symbol == NoSymbol || !symbol.pos.isDefined) None
    else placeOf(symbol.pos, nameOf(symbol), symbol.pos.point)

  def isInside(symbol: Symbol): Boolean =
    symbol.pos.isDefined && symbol.sourceFile != null

  def add(position: Position, offset: Int, symbol: Symbol): Boolean = {
    val isKnown = symbol != null && symbol != NoSymbol && !symbol.isErroneous &&
      !symbol.hasPackageFlag && !symbol.isOverloaded
    if (!isKnown) return false
    val place = placeOf(position, nameOf(symbol), offset)
    val meant = definition(symbol)
    if (place.isEmpty || (meant.isEmpty && isInside(symbol))) return false
    rows += s"use\t${place.get}\t${meant.getOrElse(outside)}"
    true
  }

  def collect(unit: CompilationUnit): Unit = Uses.traverse(unit.body)

  object Uses extends Traverser {
    override def traverse(tree: Tree): Unit = {
      val isMade = tree.isInstanceOf[DefDef] && tree.symbol != null && tree.symbol.isSynthetic
      if (isMade) return
      tree match {
        case one: MemberDef => define(one)
        case one: Import => imported(one)
        case one: RefTree if tree.pos.isDefined =>
          add(tree.pos, tree.pos.point, tree.symbol) || (tree.pos.isRange &&
            add(tree.pos, tree.pos.end - one.name.decoded.length, tree.symbol))
        case _ =>
      }
      tree match {
        case one: TypeTree if one.original != null => traverse(one.original)
        case one: ApplyToImplicitArgs => traverse(one.fun)
        case _ => super.traverse(tree)
      }
    }

    def define(tree: MemberDef): Unit = {
      val symbol = tree.symbol
      if (symbol == null || symbol == NoSymbol) return
      val place = definition(symbol)
      place.foreach(one => rows += s"use\t$one\t$one")
      tree match {
        case one: ImplDef =>
          val below = if (symbol.isAnonymousClass) around(symbol) else place
          for (base <- one.impl.parents; above <- definition(base.symbol); own <- below)
            rows += s"subtype\t$own\t$above"
        case _ =>
      }
      if (symbol.owner.isClass)
        for (own <- place; base <- symbol.allOverriddenSymbols; above <- definition(base))
          rows += s"override\t$own\t$above"
    }

    /** The place of the member around a type without a name. */
    def around(symbol: Symbol): Option[String] =
      symbol.ownerChain.find(one => one != symbol && one.owner.isClass && !one.owner.isAnonymousClass)
        .flatMap(definition)

    def imported(tree: Import): Unit =
      for (selector <- tree.selectors if selector.name != nme.WILDCARD && tree.expr.tpe != null) {
        val meant = List(selector.name.toTermName, selector.name.toTypeName)
          .flatMap(name => tree.expr.tpe.member(name).alternatives)
        meant.foreach(add(tree.pos, selector.namePos, _))
      }
  }
}
