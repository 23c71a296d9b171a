// SPDX-License-Identifier: Apache-2.0
// Mockito's mocks: of classes, interfaces and collections, spies, captured arguments, order, and what it says of a wrong call.
import static org.mockito.Mockito.*;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mockito.ArgumentCaptor;
import org.mockito.InOrder;

public class Mocks {
    static class Service {
        String get(int i) { return "real " + i; }
        final String fixed() { return "fixed"; }
    }
    interface Store {
        int find(String key) throws IOException;
        default String text() { return "default"; }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        List<String> list = mock(List.class);
        when(list.get(0)).thenReturn("first");
        when(list.size()).thenReturn(7);
        System.out.println(list.get(0) + " " + list.get(1) + " " + list.size());
        verify(list).get(0);
        try {
            verify(list, times(3)).size();
        } catch (Throwable t) {
            System.out.println(t.getMessage());
        }
        Service spy = spy(new Service());
        doReturn("other").when(spy).get(2);
        System.out.println(spy.get(1) + " " + spy.get(2) + " " + spy.fixed());
        Store store = mock(Store.class);
        when(store.find(anyString())).thenThrow(new IOException("gone")).thenReturn(3);
        try {
            store.find("one");
        } catch (IOException e) {
            System.out.println(e);
        }
        System.out.println(store.find("two"));
        when(store.text()).thenCallRealMethod();
        System.out.println(store.text());
        ArgumentCaptor<String> keys = ArgumentCaptor.forClass(String.class);
        verify(store, times(2)).find(keys.capture());
        InOrder order = inOrder(list, store);
        order.verify(list).get(0);
        order.verify(store).find("one");
        System.out.println(keys.getAllValues());
        for (int i = 0; i < 20; i++) {
            Map<String, Integer> map = mock(HashMap.class);
            when(map.get("key")).thenReturn(i);
            if (map.get("key") != i) {
                System.out.println("wrong " + i);
            }
        }
    }
}
