#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jdb attached to a waiting program: watches, frames up and down, expressions that call methods, monitors, a thread suspended
# and resumed, methods traced, filters.
# @timeout 120
# shellcheck disable=SC2016 # the dollar of a class's name
set -eu
cat >Shop.java <<'TEXT'
public class Shop {
    static final Object till = new Object();
    int stock = 5;
    String[] goods = {"bread", "milk"};

    int sell(int n) {
        stock -= n;
        return stock;
    }

    synchronized int close(String why) {
        synchronized (till) {
            int left = sell(1);
            return left + why.length();
        }
    }

    static class Clerk extends Thread {
        volatile boolean done;

        Clerk() {
            super("clerk");
        }

        @Override
        public void run() {
            while (!done) { }
        }
    }

    public static void main(String[] args) throws Exception {
        Clerk clerk = new Clerk();
        clerk.setDaemon(true);
        clerk.start();
        Shop shop = new Shop();
        int left = shop.close("evening");
        shop.sell(left > 0 ? 2 : 3);
        clerk.done = true;
        clerk.join();
    }
}
TEXT
javac -g Shop.java

# shellcheck source=tests/programs/parts/jdb.bash
. "$PARTS/jdb.bash"
: >server
java -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0 Shop >server 2>&1 &
for _ in {1..300}; do
    port=$(sed -n 's/.*at address: //p' server)
    if [[ -n $port ]]; then
        break
    fi
    sleep 0.1
done
jdb_attach "$port"
say 'stop in Shop.sell'
say 'clear'
say 'run'
say 'where'
say 'wherei'
say 'up'
say 'locals'
say 'print why'
say 'up 1'
say 'down 2'
say 'threadlocks'
say 'lock Shop.till'
say 'lock this'
say 'eval goods[1].toUpperCase() + stock'
say 'eval n * 2 + goods.length'
say 'print Shop.till == null'
say 'print nothing'
say 'set n = 3'
say 'set goods[0] = "cake"'
say 'dump goods'
say 'watch all Shop.stock'
say 'cont'
say 'where'
say 'cont'
say 'cont'
say 'unwatch all Shop.stock'
say 'methods Shop'
say 'fields Shop'
say 'class Shop$Clerk'
say 'next'
say 'step up'
say 'step up'
say 'list'
say 'threads'
clerk=$(sed -nE 's/.*Shop\$Clerk\)([0-9]+).*/\1/p' output)
say "suspend $clerk"
say "where $clerk"
say "resume $clerk"
say 'thread 99999'
say 'cont'
say 'where all'
say 'ignore uncaught java.lang.Throwable'
say 'exclude java.*'
say 'clear Shop.sell'
jdb_end
sed -E -e 's/@[0-9a-f]+/@#/' -e 's/\)[0-9]+ +/)# /' -e 's/ +/ /g' -e '/Notification Thread/d' plain
