// SPDX-License-Identifier: Apache-2.0
// For aspectj.sh: the aspect.
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.AfterThrowing;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.aspectj.lang.annotation.DeclareParents;

@Aspect
public class Weaving {
    @Around("execution(* Woven.*(..))")
    public Object around(ProceedingJoinPoint point) throws Throwable {
        System.out.println("> " + point.getSignature() + " " + point.getKind());
        try {
            return point.proceed();
        } finally {
            System.out.println("< " + point.getSignature().getName());
        }
    }

    @Before("set(int Woven.field) && args(value)")
    public void set(int value) {
        System.out.println("set " + value);
    }

    @AfterThrowing(pointcut = "execution(* Woven.fail())", throwing = "e")
    public void thrown(Throwable e) {
        System.out.println("thrown " + e);
    }

    @DeclareParents(value = "Woven", defaultImpl = Compared.class)
    Comparable<Object> mixin;

    public static class Compared implements Comparable<Object> {
        public int compareTo(Object other) {
            return 0;
        }
    }
}
