// SPDX-License-Identifier: Apache-2.0
// TLS between two engines of one process: `handshake` (RSA 2048, no session is resumed) or `bulk` (a MiB by AES-256-GCM there and back).
import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

public class Tls {
    static final char[] PASSWORD = "changeit".toCharArray();
    final SSLEngine client, server;
    final ByteBuffer toServer, toClient, plain;

    Tls(KeyStore store, KeyStore trusted) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLSv1.3"); // a new one: it has no sessions
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        client = context.createSSLEngine("localhost", 4433);
        server = context.createSSLEngine();
        client.setUseClientMode(true);
        server.setUseClientMode(false);
        for (SSLEngine e : new SSLEngine[] {client, server})
            e.setEnabledCipherSuites(new String[] {"TLS_AES_256_GCM_SHA384"});
        int most = client.getSession().getPacketBufferSize() * 4;
        toServer = ByteBuffer.allocate(most);
        toClient = ByteBuffer.allocate(most);
        plain = ByteBuffer.allocate(most);
    }

    static void wrap(SSLEngine from, ByteBuffer data, ByteBuffer to) throws SSLException {
        from.wrap(data, to);
    }
    void unwrap(SSLEngine at, ByteBuffer from) throws SSLException {
        from.flip();
        at.unwrap(from, plain);
        from.compact();
    }
    void step(SSLEngine e, ByteBuffer in, ByteBuffer out) throws SSLException {
        switch (e.getHandshakeStatus()) {
        case NEED_WRAP -> wrap(e, ByteBuffer.allocate(0), out);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap(e, in);
        case NEED_TASK -> {
            for (Runnable task = e.getDelegatedTask(); task != null; task = e.getDelegatedTask())
                task.run();
        }
        default -> { }
        }
    }
    void handshake() throws SSLException {
        client.beginHandshake();
        server.beginHandshake();
        while (client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING || server.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
            step(client, toClient, toServer);
            step(server, toServer, toClient);
        }
        while (toClient.position() > 0)
            unwrap(client, toClient); // the session's ticket
    }
    /** Sends data from the client to the server and back. */
    void echo(byte[] data) throws SSLException {
        send(client, server, toServer, data);
        send(server, client, toClient, data);
    }
    void send(SSLEngine from, SSLEngine to, ByteBuffer wire, byte[] data) throws SSLException {
        ByteBuffer rest = ByteBuffer.wrap(data);
        int got = 0;
        while (rest.hasRemaining()) {
            wrap(from, rest, wire);
            plain.clear();
            unwrap(to, wire);
            got += plain.position();
        }
        if (got != data.length)
            throw new AssertionError(got + " bytes came");
    }

    public static void main(String[] args) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (FileInputStream in = new FileInputStream(args[2])) {
            store.load(in, PASSWORD);
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("own", store.getCertificate(store.aliases().nextElement()));
        byte[] data = new byte[1 << 20];
        Tls connection = new Tls(store, trusted);
        connection.handshake();
        Meter.measure(Integer.parseInt(args[0]), args[1].equals("bulk") ? number -> connection.echo(data) : number -> new Tls(store, trusted).handshake());
    }
}
