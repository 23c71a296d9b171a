// SPDX-License-Identifier: Apache-2.0
// A program that Byteman's rules change.
public class Bank {
    private int balance;

    synchronized int deposit(int amount) {
        balance += amount;
        return balance;
    }

    int withdraw(int amount) {
        if (amount > balance)
            throw new IllegalArgumentException("too much: " + amount);
        balance -= amount;
        return balance;
    }

    static String describe(Object o) {
        return "plain " + o;
    }

    public static void main(String[] args) throws Exception {
        Bank bank = new Bank();
        for (int i = 1; i <= 4; i++)
            System.out.println("deposit " + bank.deposit(i * 10));
        try {
            System.out.println("withdraw " + bank.withdraw(30));
            System.out.println("withdraw " + bank.withdraw(5000));
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(describe("text"));
        Thread t = new Thread(() -> System.out.println("thread " + bank.deposit(1)), "teller");
        t.start();
        t.join();
        System.out.println(new java.util.ArrayList<>(java.util.List.of("a", "b")).size());
    }
}
