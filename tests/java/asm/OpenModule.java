// SPDX-License-Identifier: Apache-2.0
// Code of another module may use the public classes of an open module, though it exports nothing; of one that is not open
// it may not.
// @quick
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

public class OpenModule {
    // A module of the one class p.Inside.
    static ModuleFinder module(ModuleDescriptor.Builder builder) {
        ModuleReference reference = new ModuleReference(builder.packages(Set.of("p")).build(), URI.create("memory:m")) {
            @Override
            public ModuleReader open() {
                return new ModuleReader() {
                    @Override
                    public Optional<URI> find(String name) {
                        return Optional.empty();
                    }

                    @Override
                    public Optional<ByteBuffer> read(String name) {
                        Asm a = Asm.simple(49, "p/Inside");
                        a.method(9, "m", "()I").op(0x10, 42, 0xac);
                        return name.equals("p/Inside.class") ? Optional.of(ByteBuffer.wrap(a.bytes())) : Optional.empty();
                    }

                    @Override
                    public Stream<String> list() {
                        return Stream.of("p/Inside.class");
                    }

                    @Override
                    public void close() { }
                };
            }
        };
        return new ModuleFinder() {
            @Override
            public Optional<ModuleReference> find(String name) {
                return name.equals("m") ? Optional.of(reference) : Optional.empty();
            }

            @Override
            public Set<ModuleReference> findAll() {
                return Set.of(reference);
            }
        };
    }

    static Object use(ModuleDescriptor.Builder builder) throws Throwable {
        ModuleLayer boot = ModuleLayer.boot();
        ModuleLayer layer = boot.defineModulesWithOneLoader(
            boot.configuration().resolve(module(builder), ModuleFinder.of(), Set.of("m")), OpenModule.class.getClassLoader());
        Asm a = Asm.simple(49, "Outside");
        a.method(9, "m", "()I").invokeStatic("p/Inside", "m", "()I").op(0xac);
        Asm.Loader loader = new Asm.Loader("L", a);
        loader.foreign.put("p.Inside", layer.findLoader("m").loadClass("p.Inside"));
        return Asm.run(loader, "Outside");
    }

    public static void main(String[] args) {
        Asm.t("open", () -> use(ModuleDescriptor.newOpenModule("m")));
        Asm.t("automatic", () -> use(ModuleDescriptor.newAutomaticModule("m")));
        Asm.t("exported", () -> use(ModuleDescriptor.newModule("m").exports("p")));
        Asm.t("neither", () -> use(ModuleDescriptor.newModule("m")));
    }
}
