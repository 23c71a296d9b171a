// SPDX-License-Identifier: Apache-2.0
def squares = (1..10).collect { it * it }
println squares.findAll { it % 2 == 0 }
println([a: 1, b: [2, 3]].collectEntries { k, v -> [(v): k] })
class Account {
    BigDecimal balance = 0
    def methodMissing(String name, args) { "no $name with ${args.size()} arguments" }
}
def account = new Account(balance: 12.50)
account.with { balance += 1 }
println account.balance + ' ' + account.fly(1, 2)
def text = new groovy.json.JsonSlurper().parseText('{"list": [1, 2.5, "x", null], "inner": {"k": true}}')
println text.list + text.inner.k
println new groovy.json.JsonBuilder([x: squares]).toString()
def writer = new StringWriter()
new groovy.xml.MarkupBuilder(writer).root(id: 1) { (1..3).each { n -> item(n: n, "text $n") } }
println writer
println 'a1b22'.replaceAll(/\d+/) { "<$it>" }
def fib
fib = { n -> n < 2 ? n : fib(n - 1) + fib(n - 2) }.memoize()
println fib(60)
try { [1].foo() } catch (MissingMethodException e) { println e.message.readLines()[0] }
@groovy.transform.CompileStatic
long total(int n) { long sum = 0; for (int i = 0; i < n; i++) { sum += i }; return sum }
println total(100000)
println evaluate('1 + 2 * 3')
String.metaClass.shout = { -> delegate.toUpperCase() + '!' }
println 'hey'.shout()
