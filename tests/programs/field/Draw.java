// SPDX-License-Identifier: Apache-2.0
// Headless drawing: shapes, text in a real font, gradients, transforms; the picture as PNG and back.
import java.awt.*;
import java.awt.geom.*;
import java.awt.image.BufferedImage;
import java.io.*;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;

public class Draw {
    public static void main(String[] args) throws Exception {
        System.setProperty("java.awt.headless", "true");
        BufferedImage image = new BufferedImage(300, 200, BufferedImage.TYPE_INT_ARGB);
        Graphics2D g = image.createGraphics();
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setPaint(new GradientPaint(0, 0, Color.WHITE, 300, 200, Color.ORANGE));
        g.fillRect(0, 0, 300, 200);
        g.setColor(Color.BLUE);
        g.setStroke(new BasicStroke(3));
        g.draw(new Ellipse2D.Double(20, 20, 120, 80));
        g.setFont(new Font("DejaVu Sans", Font.BOLD, 24));
        g.drawString("Pellucid \u00e9\u03b1", 60, 150);
        System.out.println("width " + g.getFontMetrics().stringWidth("Pellucid") + " " + g.getFont().getFamily());
        g.transform(AffineTransform.getRotateInstance(0.3, 150, 100));
        g.fill(new Rectangle(200, 30, 50, 50));
        g.dispose();
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        for (String format : new String[] {"png", "gif", "bmp", "jpg"}) {
            png.reset();
            BufferedImage plain = new BufferedImage(300, 200, BufferedImage.TYPE_INT_RGB);
            plain.createGraphics().drawImage(image, 0, 0, null);
            boolean written = ImageIO.write(plain, format, png);
            CRC32 crc = new CRC32();
            crc.update(png.toByteArray());
            BufferedImage back = ImageIO.read(new ByteArrayInputStream(png.toByteArray()));
            System.out.printf("%s %b %d %x %x%n", format, written, png.size(), crc.getValue(), back.getRGB(75, 140));
        }
    }
}
