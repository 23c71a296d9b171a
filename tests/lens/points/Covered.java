// SPDX-License-Identifier: Apache-2.0
// Lines and branches whose fate is known: those marked // n are reached n times by run(10), // no never.
class Covered {
    static int run(int n) {
        int sum = 0;                    // 1
        for (int i = 0; i < n; i++) {
            if (i % 2 == 0)             // 10
                sum += half(i);         // 5
            if (i > 100)                // 10
                sum += 1000;            // no
            sum += choose(i);           // 10
        }
        if (n > 5 && sum > 0)           // 1
            sum++;                      // 1
        else
            sum--;                      // no
        return sum;                     // 1
    }

    static int half(int i) {
        return i / 2;                   // 5
    }

    static int choose(int i) {
        switch (i) {                    // 10
        case 0:
        case 1:
            return 1;                   // 2
        case 5:
            return 2;                   // 1
        case 77:
            return 3;                   // no
        default:
            return 4;                   // 7
        }
    }

    static void never() {
        run(1);                         // no
    }                                   // no
}
