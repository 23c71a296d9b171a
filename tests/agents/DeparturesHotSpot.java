// SPDX-License-Identifier: Apache-2.0
// As Departures, with the switch on from the start: as HotSpot.
// @agent ti_departures
// @flags -XX:+IgnoreUnrecognizedVMOptions -XX:+HotSpotJVMTI
// @quick
public class DeparturesHotSpot {
    public static void main(String[] args) {
        Departures.show(false);
    }
}
