// SPDX-License-Identifier: Apache-2.0
// java.time, zones and their rules, old dates and calendars, formats in several locales.
// @flags -Duser.timezone=Europe/Berlin -Duser.language=en -Duser.country=US
import java.text.SimpleDateFormat;
import java.time.*;
import java.time.format.*;
import java.time.temporal.*;
import java.util.*;

public class Dates {
    public static void main(String[] args) throws Exception {
        LocalDate d = LocalDate.of(2024, 2, 29);
        System.out.println(d.plusYears(1) + " " + d.getDayOfWeek() + " " + d.with(TemporalAdjusters.lastDayOfYear()) + " " + ChronoUnit.DAYS.between(LocalDate.EPOCH, d) + " "
            + d.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR) + " " + Period.between(LocalDate.of(1999, 12, 31), d));
        ZonedDateTime z = ZonedDateTime.of(2021, 3, 28, 2, 30, 0, 0, ZoneId.of("Europe/Berlin"));
        System.out.println(z + " " + z.withZoneSameInstant(ZoneId.of("Asia/Tokyo")) + " " + z.getZone().getRules().isDaylightSavings(z.toInstant()) + " " + z.minusMonths(1).getOffset());
        System.out.println(Duration.ofSeconds(3661, 5000000) + " " + Instant.ofEpochSecond(1700000000) + " " + OffsetDateTime.parse("2020-01-01T00:00:00+05:30").toInstant());
        for (Locale l : new Locale[] {Locale.US, Locale.GERMANY, Locale.JAPAN, Locale.FRANCE}) {
            String s = DateTimeFormatter.ofPattern("EEEE d MMMM yyyy HH:mm", l).format(z);
            System.out.println(l + " " + s.length() + " " + s.hashCode() + " " + l.getDisplayCountry(Locale.US) + " " + Currency.getInstance(l));
        }
        System.out.println(DateTimeFormatter.ISO_WEEK_DATE.format(d) + " " + LocalTime.parse("10:15:30").truncatedTo(ChronoUnit.HOURS) + " " + Year.isLeap(1900));
        try {
            LocalDate.parse("2023-02-30");
        } catch (DateTimeParseException e) {
            System.out.println(e.getMessage());
        }
        SimpleDateFormat f = new SimpleDateFormat("yyyy-MM-dd HH:mm:ss z Z", Locale.US);
        System.out.println(f.format(new Date(0)) + " " + f.format(new Date(1720000000000L)));
        f.setTimeZone(TimeZone.getTimeZone("America/New_York"));
        System.out.println(f.format(new Date(1720000000000L)) + " " + f.parse("2001-02-03 04:05:06 EST -0500").getTime());
        Calendar c = new GregorianCalendar(2000, Calendar.JANUARY, 31);
        c.add(Calendar.MONTH, 1);
        System.out.println(c.getTime() + " " + c.getActualMaximum(Calendar.DAY_OF_MONTH) + " " + TimeZone.getDefault().getID() + " " + c.get(Calendar.WEEK_OF_YEAR));
        System.out.println(java.time.chrono.JapaneseDate.of(2020, 5, 5) + " " + java.time.chrono.ThaiBuddhistDate.of(2563, 1, 1) + " " + java.time.chrono.HijrahDate.from(LocalDate.of(2020, 1, 1)));
        System.out.println(ZoneId.getAvailableZoneIds().size() > 400);
        System.out.println(String.format(Locale.US, "%tF %<tT %<tA", z));
    }
}
