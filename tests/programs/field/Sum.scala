// SPDX-License-Identifier: Apache-2.0
object Sum {
  sealed trait Expr
  case class Num(n: Int) extends Expr
  case class Add(a: Expr, b: Expr) extends Expr
  case class Mul(a: Expr, b: Expr) extends Expr
  def eval(e: Expr): Int = e match {
    case Num(n) => n
    case Add(a, b) => eval(a) + eval(b)
    case Mul(a, b) => eval(a) * eval(b)
  }
  implicit class Shown(val e: Expr) extends AnyVal {
    def shown: String = e match {
      case Num(n) => n.toString
      case Add(a, b) => s"(${a.shown} + ${b.shown})"
      case Mul(a, b) => s"${a.shown} * ${b.shown}"
    }
  }
  def main(args: Array[String]): Unit = {
    val e = (1 to 20).foldLeft(Num(0): Expr)((a, n) => if (n % 3 == 0) Mul(a, Num(2)) else Add(a, Num(n)))
    println(e.shown + " = " + eval(e))
    lazy val primes: Stream[Int] = 2 #:: Stream.from(3).filter(n => primes.takeWhile(p => p * p <= n).forall(n % _ != 0))
    println(primes.take(30).mkString(" "))
    println((for (x <- 1 to 30; y <- x to 30; z <- y to 30 if x * x + y * y == z * z) yield (x, y, z)).toList)
    println("abc".permutations.toList.sorted, Map("a" -> 1).getOrElse("b", 2), List(3, 1, 2).par.map(_ + 1).sum)
  }
}
