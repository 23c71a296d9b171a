# SPDX-License-Identifier: Apache-2.0
import re, math, json
from java.util import ArrayList, TreeMap
from java.lang import Thread, StringBuilder
class Shape(object):
    def __init__(self, n): self.n = n
    def __repr__(self): return '<%s %d>' % (type(self).__name__, self.n)
class Square(Shape):
    @property
    def area(self): return self.n ** 2
print([Square(i).area for i in range(8)], Square(3))
print(sorted({'b': 1, 'a': [1, 2]}.items()), json.dumps({'x': [1, None, True]}, sort_keys=True))
def gen(n):
    a, b = 0, 1
    while n:
        yield a
        a, b, n = b, a + b, n - 1
print(list(gen(30)))
l = ArrayList([3, 1, 2]); l.sort(None); print(l)
m = TreeMap(); m['k'] = 'v'; print(m)
print(re.sub(r'(\w+)@(\w+)', r'\2 at \1', 'me@home you@work'))
class Job(Thread):
    def run(self): self.done = sum(i * i for i in range(2000))
jobs = [Job() for _ in range(4)]
for j in jobs: j.start()
for j in jobs: j.join()
print([j.done for j in jobs], '%.5f' % math.sqrt(2), 2 ** 200)
try: [][1]
except IndexError as e: print('IndexError', e)
