// SPDX-License-Identifier: Apache-2.0
// @quick
// The functions of java.lang.Math that HotSpot computes itself: the same last digits as there, the special cases of the
// specification, the same result by reflection and by method handles, and less than one unit from StrictMath.
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.DoubleUnaryOperator;

public class MathFunctions {
    static final double[] SPECIAL = {0.0, -0.0, 1, -1, 2, -3, 0.5, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
        Double.MIN_VALUE, Double.MIN_NORMAL, Double.MAX_VALUE, -Double.MAX_VALUE, 1e300, 9007199254740993.0, 710, -745.2, 1e22};

    // Next to multiples of pi/2: what is left of them has few digits in common with them.
    static final double[] HARD = {0x1.6ac5b262ca1ffp+849, 0x1.69eab0985179bp+246, 0x1.4c96c11134d36p+578, 0x1.921fb54442d18p+30, 1e22};

    static void show(String name, DoubleUnaryOperator f, DoubleUnaryOperator strict) {
        StringBuilder line = new StringBuilder(name);
        for (double x : SPECIAL)
            line.append(' ').append(f.applyAsDouble(x));
        for (int i = 1; i <= 40; i++)
            line.append(' ').append(f.applyAsDouble(i * 0.43));
        int others = 0;
        for (int i = 1; i <= 3000; i++) {
            double own = f.applyAsDouble(i * 0.0137), other = strict.applyAsDouble(i * 0.0137);
            others += own != other ? 1 : 0;
            if (Math.abs(own - other) > Math.ulp(other))
                line.append(" too far at ").append(i);
        }
        for (double hard : HARD)
            for (double x : new double[] {hard, -hard, Math.nextUp(hard), Math.nextDown(hard), hard * 2, hard * 4})
                if (Math.abs(f.applyAsDouble(x) - strict.applyAsDouble(x)) > Math.ulp(strict.applyAsDouble(x)))
                    line.append(" too far at ").append(x);
        System.out.println(line.append(" StrictMath's differ: ").append(others > 30));
    }

    public static void main(String[] args) throws Throwable {
        show("sin", Math::sin, StrictMath::sin);
        show("cos", Math::cos, StrictMath::cos);
        show("tan", Math::tan, StrictMath::tan);
        show("exp", Math::exp, StrictMath::exp);
        show("log", Math::log, StrictMath::log);
        show("log10", Math::log10, StrictMath::log10);
        for (double y : SPECIAL)
            show("pow " + y, x -> Math.pow(x, y), x -> StrictMath.pow(x, y));
        show("pow 0.41", x -> Math.pow(x, 0.41), x -> StrictMath.pow(x, 0.41));
        for (int i = -22; i <= 22; i++)
            System.out.println(Math.log10(Double.parseDouble("1e" + i)) + " " + Math.pow(10, i) + " " + Math.pow(2, 40 * i));
        var pow = Math.class.getMethod("pow", double.class, double.class);
        var sin = MethodHandles.lookup().findStatic(Math.class, "sin", MethodType.methodType(double.class, double.class));
        boolean same = true;
        for (int i = 0; i < 100; i++)
            same &= (double) pow.invoke(null, 1.1, i * 0.3) == Math.pow(1.1, i * 0.3) & (double) sin.invokeExact(i * 0.3) == Math.sin(i * 0.3);
        System.out.println(same + " " + pow + " " + (sin.type().parameterCount() == 1));
    }
}
