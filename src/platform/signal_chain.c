// SPDX-License-Identifier: Apache-2.0
// See signal_chain.h. libjsig's part: between JVM_begin_signal_setting and
// JVM_end_signal_setting it lets sigaction through and remembers which signals are the VM's;
// later calls of sigaction for those only change what JVM_get_signal_action gives.
#include "platform/signal_chain.h"

#include <dlfcn.h>
#include <string.h>

static struct sigaction kept[NSIG]; // the program's, from before the VM's
static bool is_ours[NSIG];
static bool disabled;
static struct sigaction *(*jsig_action)(int sig); // NULL: libjsig is not there

static void *jsig(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

void chain_begin(void)
{
    void (*begin)(void) = (void (*)(void))jsig("JVM_begin_signal_setting");
    jsig_action = (struct sigaction * (*)(int)) jsig("JVM_get_signal_action");
    if (begin)
        begin();
}

void chain_end(void)
{
    void (*end)(void) = (void (*)(void))jsig("JVM_end_signal_setting");
    if (end)
        end();
}

void chain_install(int sig, const struct sigaction *action)
{
    struct sigaction old;
    if (sigaction(sig, action, &old) != 0)
        return;
    if (!is_ours[sig])
        kept[sig] = old;
    is_ours[sig] = true;
}

static bool has_handler(const struct sigaction *a)
{
    return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

void chain_yield(void)
{
    for (int sig = 1; sig < NSIG; sig++)
        if (is_ours[sig] && has_handler(&kept[sig]))
            sigaction(sig, &kept[sig], NULL);
}

void chain_disable(void)
{
    disabled = true;
}

bool chain_call(int sig, siginfo_t *info, void *context)
{
    struct sigaction *action = jsig_action ? jsig_action(sig) : NULL;
    if (!action)
        action = &kept[sig];
    if (disabled || !is_ours[sig] || action->sa_handler == SIG_DFL)
        return false;
    if (action->sa_handler == SIG_IGN)
        return true;
    struct sigaction now = *action;
    if (now.sa_flags & SA_RESETHAND)
        action->sa_handler = SIG_DFL;
    sigset_t before;
    if (!(now.sa_flags & SA_NODEFER))
        sigaddset(&now.sa_mask, sig);
    pthread_sigmask(SIG_SETMASK, &now.sa_mask, &before);
    if (now.sa_flags & SA_SIGINFO)
        now.sa_sigaction(sig, info, context);
    else
        now.sa_handler(sig);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}
