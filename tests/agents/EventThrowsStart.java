// SPDX-License-Identifier: Apache-2.0
// An exception that a callback of VMStart leaves pending: the VM does not start.
// @agent ti_event_throws=start
// @expect-exit 1
// @quick
public class EventThrowsStart {
    public static void main(String[] args) {
        System.out.println("started");
    }
}
