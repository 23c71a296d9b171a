#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TLS in one process with keystores made by keytool: sockets, both protocol versions, client certificates, a wrong host and an
# unknown signer, sessions resumed, an SSLEngine pair, https by the HTTP server and client.
# @timeout 300
set -eu
tool() {
    keytool -noprompt -storepass secret -keystore "$@"
}
tool server.p12 -genkeypair -alias server -keyalg EC -dname CN=localhost -ext SAN=dns:localhost,ip:127.0.0.1 -validity 30 2>&1
tool client.p12 -genkeypair -alias client -keyalg EC -dname "CN=A client" -validity 30 2>&1
tool server.p12 -list 2>&1 | grep -E 'Entry|contains' | sed -E 's/, [A-Z].*, /, DATE, /' | sort
cat >Tls.java <<'TEXT'
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import javax.net.ssl.*;

public class Tls {
    // With the keys of a store, and trust in the owner of another.
    static SSLContext context(String name, String trusted) throws Exception {
        KeyStore store = KeyStore.getInstance(new File(name + ".p12"), "secret".toCharArray());
        KeyStore others = KeyStore.getInstance(new File(trusted + ".p12"), "secret".toCharArray());
        store.setCertificateEntry("trusted", others.getCertificate(trusted));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, "secret".toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext c = SSLContext.getInstance("TLS");
        c.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return c;
    }
    static void serve(SSLServerSocket listener, int count, Queue<String> seen) {
        for (int i = 0; i < count; i++) {
            try (SSLSocket s = (SSLSocket) listener.accept()) {
                BufferedReader r = new BufferedReader(new InputStreamReader(s.getInputStream()));
                String line = r.readLine();
                String peer;
                try {
                    peer = s.getSession().getPeerPrincipal().getName();
                } catch (SSLPeerUnverifiedException e) {
                    peer = "nobody";
                }
                s.getOutputStream().write(("to " + peer + ": " + new StringBuilder(line).reverse() + "\n").getBytes());
                seen.add("ok");
            } catch (IOException e) {
                seen.add("failed"); // as TLS says it, or by a reset that came before
            }
        }
    }
    static void say(SSLContext context, String host, int port, String protocol, String text) {
        try (SSLSocket s = (SSLSocket) context.getSocketFactory().createSocket(host, port)) {
            s.setEnabledProtocols(new String[] {protocol});
            SSLParameters p = s.getSSLParameters();
            p.setEndpointIdentificationAlgorithm("HTTPS");
            s.setSSLParameters(p);
            s.startHandshake();
            s.getOutputStream().write((text + "\n").getBytes());
            String answer = new BufferedReader(new InputStreamReader(s.getInputStream())).readLine();
            System.out.println(protocol + " " + s.getSession().getProtocol() + " " + s.getSession().getCipherSuite() + " " + s.getSession().getPeerPrincipal()
                + " " + answer.length() + " " + answer.substring(0, Math.min(60, answer.length())));
        } catch (Exception e) {
            System.out.println(protocol + " " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }
    static void sockets() throws Exception {
        SSLServerSocket listener = (SSLServerSocket) context("server", "client").getServerSocketFactory().createServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Thread t = new Thread(() -> {
            serve(listener, 4, seen);
            listener.setNeedClientAuth(true);
            serve(listener, 3, seen);
        });
        t.start();
        int port = listener.getLocalPort();
        SSLContext client = context("client", "server"), stranger = context("client", "client");
        say(client, "localhost", port, "TLSv1.3", "hello");
        say(client, "localhost", port, "TLSv1.2", "again");
        say(client, "127.0.0.1", port, "TLSv1.3", "x".repeat(2000));
        say(stranger, "localhost", port, "TLSv1.3", "no");
        say(client, "localhost", port, "TLSv1.3", "who am I");
        say(client, "localhost", port, "TLSv1.2", "who am I");
        say(client, "127.0.0.2", port, "TLSv1.3", "refused");
        try (Socket plain = new Socket("127.0.0.1", port)) {
            plain.getOutputStream().write("not tls\r\n\r\n".getBytes());
            plain.getInputStream().read();
        } catch (IOException e) {
            System.out.println("plain");
        }
        t.join();
        System.out.println(seen);
    }
    // Client and server engine pass each other buffers.
    static void engines() throws Exception {
        SSLEngine client = context("client", "server").createSSLEngine("localhost", 1), server = context("server", "client").createSSLEngine();
        client.setUseClientMode(true);
        server.setUseClientMode(false);
        ByteBuffer up = ByteBuffer.allocate(40000), down = ByteBuffer.allocate(40000), in = ByteBuffer.allocate(40000), out = ByteBuffer.allocate(40000);
        ByteBuffer said = ByteBuffer.wrap("engine to engine".getBytes()), nothing = ByteBuffer.allocate(0);
        for (int i = 0; i < 100 && in.position() < 16; i++) {
            for (SSLEngine e : new SSLEngine[] {client, server}) {
                ByteBuffer to = e == client ? up : down, from = e == client ? down : up;
                e.wrap(e == client ? said : nothing, to);
                for (Runnable r; (r = e.getDelegatedTask()) != null;) {
                    r.run();
                }
                from.flip();
                e.unwrap(from, e == client ? out : in);
                from.compact();
                for (Runnable r; (r = e.getDelegatedTask()) != null;) {
                    r.run();
                }
            }
        }
        System.out.println(new String(in.array(), 0, in.position()) + " " + server.getSession().getProtocol() + " " + client.getSession().getCipherSuite());
    }
    static void https() throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context("server", "client")));
        server.createContext("/", x -> {
            byte[] answer = (x.getRequestMethod() + " " + x.getRequestURI() + " " + new String(x.getRequestBody().readAllBytes()).length()).getBytes();
            x.sendResponseHeaders(200, answer.length);
            x.getResponseBody().write(answer);
            x.close();
        });
        ExecutorService pool = Executors.newFixedThreadPool(3);
        server.setExecutor(pool);
        server.start();
        URI uri = URI.create("https://localhost:" + server.getAddress().getPort() + "/path?q=1");
        HttpClient http = HttpClient.newBuilder().sslContext(context("client", "server")).build();
        System.out.println(http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body());
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(http.sendAsync(HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString("b".repeat(i * 10))).build(), HttpResponse.BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> f : all) {
            System.out.println(f.get().body() + " " + f.get().statusCode() + " " + f.get().sslSession().get().getProtocol());
        }
        HttpsURLConnection c = (HttpsURLConnection) uri.toURL().openConnection();
        c.setSSLSocketFactory(context("client", "server").getSocketFactory());
        System.out.println(new String(c.getInputStream().readAllBytes()) + " " + c.getCipherSuite());
        try {
            HttpClient.newBuilder().sslContext(context("client", "client")).build().send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            System.out.println(e);
        }
        server.stop(0);
        pool.shutdown();
    }

    public static void main(String[] args) throws Exception {
        sockets();
        engines();
        https();
    }
}
TEXT
"$JAVA_HOME/bin/javac" -d . Tls.java
java -cp . Tls
