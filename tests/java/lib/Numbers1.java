// SPDX-License-Identifier: Apache-2.0
// BigInteger, BigDecimal, formatting and parsing of numbers, seeded randoms.
import java.math.*;
import java.text.*;
import java.util.*;

public class Numbers1 {
    public static void main(String[] args) throws Exception {
        BigInteger f = BigInteger.ONE;
        for (int i = 1; i <= 60; i++) {
            f = f.multiply(BigInteger.valueOf(i));
        }
        BigInteger p = BigInteger.TWO.pow(127).subtract(BigInteger.ONE);
        System.out.println(f + " " + f.mod(p) + " " + f.modPow(BigInteger.TEN, p) + " " + BigInteger.valueOf(97).modInverse(p) + " " + p.isProbablePrime(20) + " "
            + f.gcd(p.shiftLeft(30)) + " " + f.sqrt() + " " + f.bitLength() + " " + f.negate().shiftRight(7).toString(36) + " " + new BigInteger("-ff", 16).not());
        BigInteger big = BigInteger.valueOf(3).pow(3000);
        System.out.println(big.multiply(big).hashCode() + " " + big.divide(BigInteger.valueOf(7).pow(500)).hashCode() + " " + big.toString().length());
        try {
            f.divide(BigInteger.ZERO);
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        BigDecimal d = new BigDecimal("1234.56789");
        System.out.println(d.setScale(2, RoundingMode.HALF_EVEN) + " " + d.divide(new BigDecimal("3"), 30, RoundingMode.DOWN) + " " + d.pow(5) + " " + d.stripTrailingZeros().toEngineeringString()
            + " " + new BigDecimal(0.1) + " " + new BigDecimal("1e400").precision() + " " + BigDecimal.valueOf(2).sqrt(new MathContext(40)) + " " + d.compareTo(new BigDecimal("1234.567890")));
        try {
            BigDecimal.ONE.divide(new BigDecimal(3));
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(String.format(Locale.US, "%,d|%+.3e|%08.2f|%o|%X|%-8s|%S|%h|%%|%n", 1234567, 12345.678, -3.14159, 8, 48879, "ab", "up", "hash").trim());
        System.out.println(new DecimalFormat("#,##0.00;(#)", DecimalFormatSymbols.getInstance(Locale.US)).format(-1234567.891) + " " + NumberFormat.getPercentInstance(Locale.US).format(0.256)
            + " " + NumberFormat.getCurrencyInstance(Locale.US).format(12.5) + " " + NumberFormat.getInstance(Locale.GERMANY).format(1234.5) + " " + NumberFormat.getInstance(Locale.US).parse("1,234.5x"));
        Random r = new Random(42);
        System.out.println(r.nextInt() + " " + r.nextInt(100) + " " + r.nextLong() + " " + r.nextDouble() + " " + r.nextFloat() + " " + r.nextGaussian() + " " + r.nextBoolean()
            + " " + r.ints(3, 0, 10).boxed().toList() + " " + new SplittableRandom(7).nextLong());
        for (String s : new String[] {"1", "-0", "2147483648", "", "+5", "0x10", "1_0", "99999999999999999999"}) {
            try {
                System.out.print(Integer.parseInt(s) + " ");
            } catch (NumberFormatException e) {
                System.out.print(e.getMessage() + " ");
            }
        }
        System.out.println();
        double[] ds = {1e23, 2.2250738585072014E-308, 4.9E-324, 123456789.0, 1.0E7, 0.001, 9.999e-4, 100, 2e-3};
        for (double x : ds) {
            System.out.print(x + " " + (float) x + " " + Double.parseDouble("" + x) + " " + Double.doubleToLongBits(x) + " ");
        }
        System.out.println();
        System.out.println(Integer.decode("0x1F") + Long.decode("-017") + " " + Long.toString(-255, 16) + " " + Integer.toBinaryString(-8) + " " + Long.parseUnsignedLong("18446744073709551615")
            + " " + Integer.highestOneBit(1000) + Integer.rotateLeft(1, 33) + Character.getNumericValue('\u0664') + Character.toChars(0x1F600).length + Character.getType('\u4e2d')
            + Character.isLetter('\u00e9') + Character.toUpperCase('\u00df') + " " + "\u00df".toUpperCase(Locale.ROOT) + " " + "I".toLowerCase(new Locale("tr")).length());
    }
}
