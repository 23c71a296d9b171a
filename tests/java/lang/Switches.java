// SPDX-License-Identifier: Apache-2.0
// tableswitch, lookupswitch, switches on strings, enums, and switch expressions.
// @quick
public class Switches {
    enum Color { RED, GREEN, BLUE, BLACK }

    static int table(int i) {
        switch (i) {
        case -1: return 10;
        case 0: return 11;
        case 1: return 12;
        case 2: return 13;
        case 4: return 14;
        default: return -1;
        }
    }

    static int lookup(int i) {
        switch (i) {
        case Integer.MIN_VALUE: return 1;
        case -1000: return 2;
        case 0: return 3;
        case 99999: return 4;
        case Integer.MAX_VALUE: return 5;
        default: return 0;
        }
    }

    static int fall(int i) {
        int r = 0;
        switch (i) {
        case 1: r += 1;
        case 2: r += 2;
        case 3: r += 4; break;
        case 5: r += 8;
        default: r += 16;
        }
        return r;
    }

    static String str(String s) {
        switch (s) {
        case "Aa": return "first";
        case "BB": return "second";
        case "": return "empty";
        case "\u65e5\u672c": return "nihon";
        default: return "other";
        }
    }

    static int expr(Color c) {
        return switch (c) {
            case RED, GREEN -> 1;
            case BLUE -> {
                int x = c.ordinal();
                yield x * 10;
            }
            default -> throw new IllegalStateException(c.name());
        };
    }

    static char ch(char c) {
        return switch (c) {
            case 'a', 'e', 'i' -> 'v';
            case '\uffff' -> 'm';
            default -> 'c';
        };
    }

    public static void main(String[] args) {
        for (int i = -3; i < 7; i++) {
            System.out.print(table(i) + ":" + fall(i) + " ");
        }
        System.out.println(table(Integer.MAX_VALUE) + " " + table(Integer.MIN_VALUE));
        for (int i : new int[] {Integer.MIN_VALUE, -1001, -1000, -999, -1, 0, 1, 99998, 99999, Integer.MAX_VALUE}) {
            System.out.print(lookup(i) + " ");
        }
        System.out.println();
        for (String s : new String[] {"Aa", "BB", "C#", "", "\u65e5\u672c", "x"}) {
            System.out.print(str(s) + " ");
        }
        System.out.println();
        for (Color c : Color.values()) {
            try {
                System.out.print(expr(c) + " ");
            } catch (IllegalStateException e) {
                System.out.println(e);
            }
        }
        System.out.println("" + ch('a') + ch('b') + ch('\uffff'));
        try {
            str(null);
        } catch (NullPointerException e) {
            System.out.println("NPE string");
        }
        try {
            expr(null);
        } catch (NullPointerException e) {
            System.out.println("NPE enum");
        }
    }
}
