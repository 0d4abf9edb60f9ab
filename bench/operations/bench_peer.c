// A peer is a Python program as a child process; bench/peers/peer.py says what goes over its pipes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

// ---- Starting -------------------------------------------------------------------------------------------------------

static void give_up(hw_bench_peer *peer, const char *why) {
    snprintf(peer->absent, sizeof peer->absent, "%s", why);
    hw_bench_peer_stop(peer);
}

static bool spawn_peer(hw_bench_peer *peer, const char *python, const char *script, const char *device) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    char *arguments[] = {(char *)python, "-B", (char *)script, (char *)device, NULL};
    int failure = posix_spawnp(&peer->process, python, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    if (failure) peer->process = 0;
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    return !failure && peer->to && peer->from;
}

// The peer's next line; NULL when there is none.
static json_t *read_peer_line(hw_bench_peer *peer) {
    char *line = NULL;
    size_t room = 0;
    json_t *object = getline(&line, &room, peer->from) > 0 ? json_loads(line, 0, NULL) : NULL;
    free(line);
    return object;
}

// "folder/transpose_numpy.py" is called numpy until it says otherwise.
static void name_from_path(hw_bench_peer *peer, const char *path) {
    const char *name = strrchr(path, '_') + 1;
    snprintf(peer->name, sizeof peer->name, "%.*s", (int)strcspn(name, "."), name);
}

static void greet_peer(hw_bench_peer *peer) {
    const char *name = NULL, *version = "", *absent = NULL;
    json_t *hello = read_peer_line(peer);
    if (!hello || json_unpack(hello, "{s:s, s?s, s?s}", "peer", &name, "version", &version, "absent", &absent) != 0)
        give_up(peer, "it did not start");
    else if (absent) give_up(peer, absent);
    else snprintf(peer->version, sizeof peer->version, "%s", version);
    json_decref(hello);
}

int hw_bench_peers_start(const char *folder, const char *family, const char *python, const char *device,
                         hw_bench_peer *peers, int max_peers) {
    char *pattern = NULL;
    glob_t found = {0};
    int count = 0;
    signal(SIGPIPE, SIG_IGN);   // a peer that died is told by its silence
    if (asprintf(&pattern, "%s/%s_*.py", folder, family) < 0) return 0;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && count < max_peers; i++) {
            hw_bench_peer *peer = &peers[count++];
            *peer = (hw_bench_peer){0};
            name_from_path(peer, found.gl_pathv[i]);
            if (spawn_peer(peer, python, found.gl_pathv[i], device)) greet_peer(peer);
            else give_up(peer, "no Python can be started");
        }
    globfree(&found);
    free(pattern);
    return count;
}

// ---- Asking ---------------------------------------------------------------------------------------------------------

static bool send_line(hw_bench_peer *peer, const json_t *line) {
    return line && json_dumpf(line, peer->to, JSON_COMPACT) == 0 && fputc('\n', peer->to) != EOF &&
           fflush(peer->to) == 0;
}

static void take_answer(hw_bench_peer *peer, json_t *answer, hw_bench_result *result) {
    const char *skip = NULL, *wrong = NULL, *called = "";
    json_t *samples = NULL, *error = NULL, *sample;
    size_t i;
    if (!answer || json_unpack(answer, "{s?o, s?s, s?s, s?s, s?o}", "ns", &samples, "skip", &skip, "wrong", &wrong,
                               "called", &called, "error", &error) != 0)
        give_up(peer, "it stopped answering");
    result->wrong = wrong != NULL;
    snprintf(result->called, sizeof result->called, "%s", called);
    if (peer->absent[0]) memcpy(result->problem, peer->absent, sizeof peer->absent);
    else if (wrong) snprintf(result->problem, sizeof result->problem, "wrong: %s", wrong);
    else if (skip) snprintf(result->problem, sizeof result->problem, "%s", skip);
    json_array_foreach(samples, i, sample) hw_bench_times_add(&result->times, json_number_value(sample));
    hw_bench_times_finish(&result->times);
    result->has_error = json_is_number(error);
    result->error = json_number_value(error);
}

void hw_bench_peer_ask(hw_bench_peer *peer, json_t *question, double seconds, hw_bench_result *result) {
    *result = (hw_bench_result){0};
    memcpy(result->who, peer->name, sizeof result->who);
    if (peer->absent[0]) memcpy(result->problem, peer->absent, sizeof peer->absent);
    else if (!question) snprintf(result->problem, sizeof result->problem, "not asked");
    else {
        bool sent = json_object_set_new(question, "seconds", json_real(seconds)) == 0 &&
                    send_line(peer, question);
        json_t *answer = sent ? read_peer_line(peer) : NULL;
        take_answer(peer, answer, result);
        json_decref(answer);
    }
    json_decref(question);
}

void hw_bench_peer_stop(hw_bench_peer *peer) {
    if (peer->to) fclose(peer->to);
    if (peer->from) fclose(peer->from);
    if (peer->process > 0)
        while (waitpid(peer->process, NULL, 0) < 0 && errno == EINTR) {}
    peer->to = peer->from = NULL;
    peer->process = 0;
}
