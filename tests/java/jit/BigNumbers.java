// SPDX-License-Identifier: Apache-2.0
// Powers, squares and products of large numbers of all lengths, odd and even counts of words, up to and above what compiled code does by
// itself. What it prints is as on HotSpot.
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:+JitSync -XX:+JitVerify -XX:CompileThresholdScaling=0.02 -Xmx64m
// @modes asan stress
// @timeout 180
import java.math.BigInteger;
import java.util.Random;

public class BigNumbers {
    static final BigInteger ONE = BigInteger.ONE, TWO = BigInteger.TWO;

    static void powers(Random random) {
        BigInteger sum = BigInteger.ZERO;
        for (int bits = 2; bits <= 700; bits++) {
            BigInteger modulus = new BigInteger(bits, random).setBit(0).setBit(bits - 1);
            BigInteger base = new BigInteger(bits + 3, random);
            BigInteger exponent = new BigInteger(1 + bits % 70, random);
            BigInteger power = base.modPow(exponent, modulus);
            sum = sum.xor(power);
            if (bits % 50 == 0) {
                System.out.println(bits + " " + power.toString(16));
            }
        }
        System.out.println("powers " + sum.toString(16));
    }

    // Words that are all ones, or 0 but for one bit: carries over the whole length.
    static void edges() {
        int sum = 0;
        for (int bits = 32; bits <= 1100; bits += 31) {
            for (int low = 1; low <= 7; low += 2) {
                BigInteger full = ONE.shiftLeft(bits).subtract(BigInteger.valueOf(low));
                BigInteger thin = ONE.shiftLeft(bits).add(BigInteger.valueOf(low));
                for (BigInteger modulus : new BigInteger[] {full, thin}) {
                    sum = sum * 31 + modulus.subtract(ONE).modPow(BigInteger.valueOf(3), modulus).hashCode();
                    sum = sum * 31 + modulus.subtract(TWO).modPow(BigInteger.valueOf(1000003), modulus).hashCode();
                    sum = sum * 31 + ONE.shiftLeft(bits / 2).modPow(modulus.shiftRight(bits - 20), modulus).hashCode();
                    sum = sum * 31 + modulus.pow(2).hashCode() + modulus.multiply(full).hashCode();
                }
            }
        }
        System.out.println("edges " + sum);
    }

    static void squares(Random random) {
        int sum = 0;
        for (int words = 1; words <= 180; words++) {
            BigInteger x = new BigInteger(words * 32 - words % 32, random);
            BigInteger square = x.multiply(x);
            BigInteger same = x.multiply(x.add(ONE)).subtract(x);
            if (!square.equals(same)) {
                System.out.println("square of " + x);
            }
            sum = sum * 31 + square.hashCode() + x.pow(3).hashCode();
        }
        System.out.println("squares " + sum);
    }

    static void large(Random random) {
        for (int words = 508; words <= 516; words++) {
            BigInteger modulus = new BigInteger(words * 32, random).setBit(0);
            BigInteger base = new BigInteger(words * 32, random);
            System.out.println(words + " " + base.modPow(BigInteger.valueOf(65537), modulus).hashCode());
        }
    }

    public static void main(String[] args) {
        Random random = new Random(42);
        powers(random);
        edges();
        squares(random);
        large(random);
    }
}
