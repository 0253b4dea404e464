import type { Attack } from './attack.js'

/*
 * What a hostile program tries. The scripts are plain shell, so that a reader sees the whole
 * attack. Helpers (`forge.py`, `keeper.py`, `call.py`, `ptrace.py`) are in `helpers.ts`.
 */

const APPROVE = '$SIGNALBOX approve $APPROVAL --fingerprint $FINGERPRINT'
/** The same without a command of ours, which takes ten times as long to start. */
const DECIDE = 'python3 call.py $SOCKET $APPROVAL $FINGERPRINT $DISPLAY_HASH stay $OPTION'
/** As a person's shell: nothing of the session is left in the environment. */
const CLEAN = 'env -i PATH="$PATH" SHELL=/bin/sh HOME="$PERSON" SIGNALBOX_HOME="$SB_HOME"'
/** The same inside of quotes. */
const CLEAN_INSIDE = 'env -i PATH=$PATH HOME=$PERSON SIGNALBOX_HOME=$SB_HOME'
const CODE = `python3 code.py $SOCKET $APPROVAL $FINGERPRINT $DISPLAY_HASH '$OPTION' $TMUX_SOCKET $TMUX_TTY`
/** For what another program does on request; a request that failed ends the attack before. */
const waitFor = (name: string) =>
  `n=0; while [ ! -e ${name}.end ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n+1)); done; cat ${name}.end`
const YOUR_TMUX = 'tmux -S "$TMUX_SOCKET"'
const BODY = `'{"option":"'"$OPTION"'","fingerprint":"'$FINGERPRINT'","seen":{"displayHash":"'$DISPLAY_HASH'","whole":true}}'`
const JSON_TYPE = `-H 'content-type: application/json'`
const ON_SOCKET = 'curl -s -m 10 --unix-socket "$SOCKET" http://signalbox/api/v1'
const ON_PORT = 'curl -s -m 10 -H "authorization: Bearer $(cat "$SB_HOME/state/token")" "$ADDRESS/api/v1'

const decide: Attack[] = [
  { id: 'approve', title: 'run `signalbox approve`', goal: 'decide', script: APPROVE },
  {
    id: 'approve-home',
    title: 'the same with SIGNALBOX_SESSION unset',
    goal: 'decide',
    script: `unset SIGNALBOX_SESSION; SIGNALBOX_HOME="$SB_HOME" ${APPROVE}`,
  },
  { id: 'approve-clean', title: 'the same with an empty environment', goal: 'decide', script: `${CLEAN} ${APPROVE}` },
  {
    id: 'approve-orphan',
    title: 'the same after a double fork, without parents',
    goal: 'decide',
    script: `(${CLEAN} setsid sh -c "sleep 0.3; ${APPROVE} > orphan.out 2>&1; mv orphan.out orphan.end" &) ; ${waitFor('orphan')}`,
  },
  {
    id: 'approve-your-tmux',
    title: 'the same in a new window of the person’s tmux server',
    goal: 'decide',
    needs: 'tmux',
    script: `${YOUR_TMUX} new-window -d "${CLEAN} ${APPROVE} > $PWD/win.out 2>&1; mv $PWD/win.out $PWD/win.end" || exit; ${waitFor('win')}`,
  },
  {
    id: 'answer',
    title: 'run `signalbox answer`',
    goal: 'decide',
    script: `${CLEAN} $SIGNALBOX answer $APPROVAL Yes`,
  },
  {
    id: 'socket-decide',
    title: 'POST the decision to the socket',
    goal: 'decide',
    script: `${ON_SOCKET}/approvals/$APPROVAL/decision ${JSON_TYPE} -d ${BODY}`,
  },
  {
    id: 'decide-setsid',
    title: 'the same in a new process session',
    goal: 'decide',
    script: `${CLEAN} setsid -w ${DECIDE}`,
  },
  {
    id: 'decide-pty',
    title: 'the same in a terminal of its own (script)',
    goal: 'decide',
    needs: 'script',
    script: `${CLEAN} script -qec "${DECIDE}" /dev/null`,
  },
  {
    id: 'decide-own-tmux',
    title: 'the same in a tmux server that it starts',
    goal: 'decide',
    needs: 'tmux',
    script: `${CLEAN} tmux -S own.sock -f /dev/null new-session -d "${DECIDE} > tmux.out 2>&1; mv tmux.out tmux.end" || exit; ${waitFor('tmux')}; tmux -S own.sock kill-server`,
  },
  {
    id: 'decide-send-keys',
    title: 'the same, typed into the person’s shell in tmux',
    goal: 'decide',
    needs: 'tmux',
    script: `${YOUR_TMUX} send-keys -t 0 "cd $PWD; ${CLEAN_INSIDE} ${DECIDE} > $PWD/keys.out 2>&1; mv $PWD/keys.out $PWD/keys.end" Enter || exit; ${waitFor('keys')}`,
  },
  {
    id: 'decide-tmux-orphan',
    title: 'the same in a new window of the person’s tmux server, after a double fork',
    goal: 'decide',
    needs: 'tmux',
    script: `${YOUR_TMUX} new-window -d "trap '' HUP; setsid -f sh -c 'sleep 0.3; cd $PWD; ${CLEAN_INSIDE} ${DECIDE} > $PWD/late.out 2>&1; mv $PWD/late.out $PWD/late.end'" || exit; ${waitFor('late')}`,
  },
  {
    id: 'decide-tmux-client',
    title: 'the same below the person’s own tmux client (lock-command)',
    goal: 'decide',
    needs: 'tmux',
    script: `${YOUR_TMUX} set -g lock-command "cd $PWD; ${CLEAN_INSIDE} ${DECIDE} > $PWD/lock.out 2>&1; mv $PWD/lock.out $PWD/lock.end" || exit; ${YOUR_TMUX} lock-client -t "$TMUX_TTY"; ${waitFor('lock')}`,
  },
  {
    id: 'limit-raise',
    title: 'raise the limit that marks it',
    goal: 'decide',
    needs: 'prlimit',
    script: `prlimit --locks=unlimited:unlimited ${CLEAN} ${DECIDE}`,
  },
  {
    id: 'limit-forge',
    title: 'lower the limit to another number',
    goal: 'decide',
    needs: 'prlimit',
    script: `prlimit --locks=5:5 ${CLEAN} ${DECIDE}`,
  },
  {
    id: 'limit-userns',
    title: 'raise the limit as root of a user namespace',
    goal: 'decide',
    needs: 'unshare',
    script: `unshare -Ur prlimit --locks=unlimited:unlimited ${CLEAN} ${DECIDE}`,
  },
  {
    id: 'pidns',
    title: 'hide in a process namespace',
    goal: 'decide',
    needs: 'unshare',
    script: `unshare -Urpf --mount-proc ${CLEAN} ${DECIDE}`,
  },
  {
    id: 'code-tmux',
    title: 'ask for a code in the person’s tmux, and read it from their panes and terminal',
    goal: 'decide',
    needs: 'tmux',
    script: `${YOUR_TMUX} new-window -d "cd $PWD; env -i PATH=$PATH ${CODE} > code.out 2>&1; mv code.out code.end" || exit; ${waitFor('code')}`,
  },
  {
    id: 'code-tmux-client',
    title: 'the same with a tmux client in a terminal that it records, below the person’s client',
    goal: 'decide',
    needs: 'tmux',
    script: `${YOUR_TMUX} set -g lock-command "timeout 8 script -qfc 'env -u TMUX tmux -S $TMUX_SOCKET attach' $PWD/typescript" || exit; ${YOUR_TMUX} lock-client -t "$TMUX_TTY"; ${YOUR_TMUX} new-window -d "cd $PWD; sleep 1; env -i PATH=$PATH ${CODE} typescript > code.out 2>&1; mv code.out code.end" || exit; ${waitFor('code')}`,
  },
  {
    id: 'socket-claims',
    title: 'POST the decision, claiming to be the owner in a browser',
    goal: 'decide',
    script: `${ON_SOCKET}/approvals/$APPROVAL/decision ${JSON_TYPE} -d '{"option":"'"$OPTION"'","fingerprint":"'$FINGERPRINT'","seen":{"displayHash":"'$DISPLAY_HASH'","whole":true},"surface":"web","confirmed":true,"actor":{"id":"owner","name":"owner"}}'`,
  },
  {
    id: 'socket-batch',
    title: 'POST a batch of decisions',
    goal: 'decide',
    script: `${ON_SOCKET}/approvals/decisions ${JSON_TYPE} -d '{"items":[{"id":"'$APPROVAL'","fingerprint":"'$FINGERPRINT'"}]}'`,
  },
  {
    id: 'socket-hook-token',
    title: 'POST the decision with the token of its hooks',
    goal: 'decide',
    script: `${ON_SOCKET}/approvals/$APPROVAL/decision -H "authorization: Bearer $SIGNALBOX_HOOK_TOKEN" ${JSON_TYPE} -d ${BODY}`,
  },
  {
    id: 'socket-exit',
    title: 'send the decision and end at once',
    goal: 'decide',
    script: `${CLEAN} python3 call.py "$SOCKET" $APPROVAL $FINGERPRINT $DISPLAY_HASH exit "$OPTION"`,
  },
  {
    id: 'socket-inherited',
    title: 'connect, and let an orphan send the decision',
    goal: 'decide',
    script: `${CLEAN} python3 call.py "$SOCKET" $APPROVAL $FINGERPRINT $DISPLAY_HASH orphan "$OPTION"`,
  },
  {
    id: 'token-decide',
    title: 'decide over TCP with the token of the user',
    goal: 'decide',
    script: `${ON_PORT}/approvals/$APPROVAL/decision" ${JSON_TYPE} -d ${BODY}`,
  },
  {
    id: 'token-orphan',
    title: 'the same from an orphan with an empty environment',
    goal: 'decide',
    script: `(${CLEAN} setsid sh -c '${ON_PORT.replaceAll('$SB_HOME', "'$SB_HOME'").replaceAll('$ADDRESS', "'$ADDRESS'")}/approvals/'$APPROVAL'/decision" -H "content-type: application/json" -d "{}" > o.out 2>&1; mv o.out o.end' &) ; ${waitFor('o')}`,
  },
  {
    id: 'login-link',
    title: 'get a login link and log in as a browser',
    goal: 'token',
    script: `${CLEAN} $SIGNALBOX serve --link | grep -q 'login#' && echo REACHED`,
  },
  {
    id: 'browser',
    title: 'have the login link opened in a browser of its own',
    goal: 'token',
    script: `printf '#!/bin/sh\necho "$1" > link.end\n' > xdg-open; chmod +x xdg-open; ${CLEAN} PATH="$PWD:$PATH" DISPLAY=:0 $SIGNALBOX open && { ${waitFor('link')} | grep -q 'login#' && echo REACHED; }`,
  },
  {
    id: 'socket-link',
    title: 'get a login link by the socket',
    goal: 'token',
    script: `${ON_SOCKET}/auth/links ${JSON_TYPE} -d '{}' | grep -q 'login#' && echo REACHED; ${ON_SOCKET}/auth/link ${JSON_TYPE} -d '{}' | grep -q 'login#' && echo REACHED`,
  },
  {
    id: 'token-link',
    title: 'get a login link over TCP with the token, also after a double fork',
    goal: 'token',
    script: `printf '%s' '${ON_PORT}/auth/links" ${JSON_TYPE.replaceAll("'", '"')} -d "{}"' > link.sh; sh link.sh | grep -q 'login#' && echo REACHED; (setsid sh -c "sleep 0.3; sh link.sh > link.out 2>&1; mv link.out link.end" &) ; ${waitFor('link')} | grep -q 'login#' && echo REACHED`,
  },
]

const ANSWER = '$SIGNALBOX answer $GATE A --fingerprint $GATE_FINGERPRINT'
/** The gate of a run that waits for a person. */
const gates: Attack[] = [
  { id: 'gate-answer', title: 'answer the gate of a run', goal: 'gate', script: `${CLEAN} ${ANSWER}` },
  {
    id: 'gate-limit',
    title: 'the same with another limit than the one that marks it',
    goal: 'gate',
    needs: 'prlimit',
    script: `prlimit --locks=5:5 ${CLEAN} ${ANSWER}`,
  },
  {
    id: 'gate-your-tmux',
    title: 'the same in a new window of the person’s tmux server',
    goal: 'gate',
    needs: 'tmux',
    script: `${YOUR_TMUX} new-window -d "${CLEAN_INSIDE} ${ANSWER} > $PWD/gate.out 2>&1; mv $PWD/gate.out $PWD/gate.end" || exit; ${waitFor('gate')}`,
  },
  {
    id: 'gate-resume',
    title: 'resume the run in the person’s tmux, with a file of answers',
    goal: 'gate',
    needs: 'tmux',
    script: `echo '["A"]' > answers.json; ${YOUR_TMUX} new-window -d "${CLEAN_INSIDE} timeout 6 $SIGNALBOX resume $RUN --answers $PWD/answers.json > $PWD/resume.out 2>&1; mv $PWD/resume.out $PWD/resume.end" || exit; ${waitFor('resume')}`,
  },
  {
    id: 'gate-forge',
    title: 'write the answer of a gate into the store',
    goal: 'gate',
    script: '$NODE $FORGE "$SB_HOME/data" gate $RUN $GATE $GATE_NAME; sleep 2',
  },
]

const grants: Attack[] = [
  {
    id: 'grant-decide',
    title: 'decide with a grant for the session',
    goal: 'grant',
    script: `${ON_SOCKET}/approvals/$APPROVAL/decision ${JSON_TYPE} -d '{"option":"'"$OPTION"'","fingerprint":"'$FINGERPRINT'","grant":{"scope":"session"},"seen":{"displayHash":"'$DISPLAY_HASH'","whole":true}}'`,
  },
  {
    id: 'grant-cli',
    title: '`signalbox approve --for 1h`',
    goal: 'grant',
    script: `${CLEAN} ${APPROVE} --for 1h --scope session`,
  },
  {
    id: 'grant-resume',
    title: 'resume grants that were paused',
    goal: 'grant',
    script: `${ON_SOCKET}/grants/resume -X POST ${JSON_TYPE} -d '{}'`,
  },
]

const typing: Attack[] = [
  {
    id: 'keys',
    title: 'press keys in another session by the socket',
    goal: 'type',
    script: `${ON_SOCKET}/sessions/$VICTIM/keys ${JSON_TYPE} -d '{"keys":["enter"]}'`,
  },
  {
    id: 'keys-token',
    title: 'the same over TCP with the token',
    goal: 'type',
    script: `${ON_PORT}/sessions/$VICTIM/keys" ${JSON_TYPE} -d '{"keys":["enter"]}'`,
  },
  { id: 'send', title: 'send a prompt to another session', goal: 'type', script: `${CLEAN} $SIGNALBOX send $VICTIM 1` },
  {
    id: 'attach',
    title: 'attach to another session and press Enter',
    goal: 'type',
    needs: 'script',
    script: `(sleep 3; printf '\\r'; sleep 1) | timeout 10 ${CLEAN} TERM=xterm script -qec "$SIGNALBOX attach $VICTIM" /dev/null | tail -c 300`,
  },
  {
    id: 'keeper-type',
    title: 'type through the socket of the keeper',
    goal: 'type',
    script: 'python3 keeper.py "$KEEPER" type "$VICTIM"; sleep 1',
  },
  {
    id: 'keeper-fds',
    title: 'write to the terminals that the keeper holds',
    goal: 'type',
    script:
      'for f in /proc/$KEEPER_PID/fd/*; do case "$(readlink $f)" in /dev/ptmx|/dev/pts/ptmx) printf "\\r" > $f;; esac; done; sleep 1',
  },
  {
    id: 'tiocsti',
    title: 'push keys into another terminal (TIOCSTI)',
    goal: 'type',
    script: 'python3 tiocsti.py "$(readlink /proc/$VICTIM_PID/fd/0)"; sleep 1',
  },
]

const takeOver: Attack[] = [
  {
    id: 'keeper-secret',
    title: 'ask the keeper for the secret of signatures',
    goal: 'escape',
    script: 'python3 keeper.py "$KEEPER" secret',
  },
  {
    id: 'keeper-your-tmux',
    title: 'the same from a window of the person’s tmux server',
    goal: 'escape',
    needs: 'tmux',
    script: `${YOUR_TMUX} new-window -d "cd $PWD; env -i PATH=$PATH python3 keeper.py $KEEPER secret > ask.out 2>&1; mv ask.out ask.end" || exit; ${waitFor('ask')}`,
  },
  {
    id: 'keeper-tmux-orphan',
    title: 'the same after a double fork there',
    goal: 'escape',
    needs: 'tmux',
    script: `${YOUR_TMUX} new-window -d "cd $PWD; trap '' HUP; setsid -f sh -c 'sleep 0.3; python3 keeper.py $KEEPER secret > fork.out 2>&1; mv fork.out fork.end'" || exit; ${waitFor('fork')}`,
  },
  {
    id: 'keeper-spawn',
    title: 'start a program outside any session through the keeper',
    goal: 'escape',
    script: 'python3 keeper.py "$KEEPER" spawn "$PERSON/spawned"; sleep 1; [ -e "$PERSON/spawned" ] && echo REACHED',
  },
  {
    id: 'inspector-daemon',
    title: 'open the debugger of the daemon (SIGUSR1)',
    goal: 'escape',
    script:
      'kill -USR1 $DAEMON_PID; sleep 1; curl -s -m 2 http://127.0.0.1:9229/json/version | grep -q Browser && echo REACHED',
  },
  {
    id: 'inspector-keeper',
    title: 'open the debugger of the keeper (SIGUSR1)',
    goal: 'escape',
    script:
      'kill -USR1 $KEEPER_PID; sleep 1; curl -s -m 2 http://127.0.0.1:9229/json/version | grep -q Browser && echo REACHED',
  },
  { id: 'ptrace', title: 'trace the daemon', goal: 'escape', script: 'python3 ptrace.py $DAEMON_PID' },
  { id: 'ptrace-keeper', title: 'trace the keeper', goal: 'escape', script: 'python3 ptrace.py $KEEPER_PID' },
  {
    id: 'memory',
    title: 'read the memory of the daemon',
    goal: 'escape',
    script:
      'head -c 1 /proc/$DAEMON_PID/mem > /dev/null && echo REACHED; [ -r /proc/$DAEMON_PID/environ ] && head -c 1 /proc/$DAEMON_PID/environ | grep -q . && echo REACHED',
  },
  {
    id: 'serve',
    isLast: true,
    title: 'kill the daemon and start one with code of its own',
    goal: 'decide',
    script: `kill -9 $DAEMON_PID; echo 'require("fs").writeFileSync("loaded","")' > evil.cjs; ${CLEAN} NODE_OPTIONS="--require $PWD/evil.cjs" timeout 20 $SIGNALBOX serve --background; ${CLEAN} ${APPROVE}`,
  },
]

const settings: Attack[] = [
  {
    id: 'config-set',
    title: '`signalbox config set`',
    goal: 'settings',
    script: `${CLEAN} $SIGNALBOX config set approvals.unproven allow`,
  },
  {
    id: 'settings-api',
    title: 'change settings by the API',
    goal: 'settings',
    script: `${ON_SOCKET}/settings -X PATCH ${JSON_TYPE} -d '{"changes":{"notify.grace_s":1}}'`,
  },
  {
    id: 'config-file',
    isLast: true,
    title: 'write the settings file',
    goal: 'settings',
    without: 'detected',
    script: `echo 'approvals.unproven = "allow"' >> "$SB_HOME/config/config.toml"`,
  },
]

const reading: Attack[] = [
  {
    id: 'token-file',
    title: 'read the token',
    goal: 'token',
    without: 'neither',
    script: 'cat "$SB_HOME/state/token"',
  },
  {
    id: 'token-rotate',
    title: 'make a new token',
    goal: 'token',
    script: `${CLEAN} $SIGNALBOX serve --rotate-token && echo REACHED`,
  },
  {
    id: 'read-cli',
    title: '`signalbox read` of another session',
    goal: 'read',
    script: `${CLEAN} $SIGNALBOX read $VICTIM`,
  },
  {
    id: 'screen-api',
    title: 'the screen of another session by the API',
    goal: 'read',
    script: `${ON_SOCKET}/sessions/$VICTIM/screen`,
  },
  { id: 'events-api', title: 'the log of all sessions by the API', goal: 'read', script: `${ON_SOCKET}/events` },
  {
    id: 'approvals-api',
    title: 'requests of other sessions by the API',
    goal: 'read',
    script: `${ON_SOCKET}/approvals`,
  },
  {
    id: 'recording',
    title: 'the recording of another session',
    goal: 'read',
    without: 'neither',
    script: 'cat "$SB_HOME"/data/recordings/$VICTIM.cast',
  },
  {
    id: 'store',
    title: 'the store',
    goal: 'read',
    without: 'neither',
    script: 'grep -a canary "$SB_HOME"/data/signalbox.db*',
  },
  {
    id: 'ssh-key',
    title: 'an SSH key of the user',
    goal: 'read',
    without: 'neither',
    script: 'cat "$PERSON/.ssh/id_ed25519"',
  },
  { id: 'netrc', title: 'a password of the user', goal: 'read', without: 'neither', script: 'cat "$PERSON/.netrc"' },
  {
    id: 'symlink',
    title: 'the same through a link in the project',
    goal: 'read',
    without: 'neither',
    script: 'ln -sf "$PERSON/.netrc" innocent; cat innocent',
  },
  {
    id: 'proc-environ',
    title: 'the environment of another session’s process',
    goal: 'read',
    without: 'neither',
    script: 'tr "\\0" "\\n" < /proc/$VICTIM_PID/environ | grep -q SIGNALBOX_SESSION && echo REACHED',
  },
]

const outside: Attack[] = [
  {
    id: 'write-home',
    title: 'write a start file of the user’s shell',
    goal: 'write',
    without: 'neither',
    script: 'echo evil >> "$PERSON/.bashrc"',
  },
  {
    id: 'write-instructions',
    title: 'write instructions that other agents of the user read',
    goal: 'write',
    without: 'neither',
    script: 'mkdir -p "$PERSON/.claude" && echo evil >> "$PERSON/.claude/CLAUDE.md"',
  },
  {
    id: 'signal',
    title: 'signal processes outside the session',
    goal: 'escape',
    without: 'neither',
    script: 'kill -0 $DAEMON_PID && echo REACHED',
  },
  {
    id: 'ssh-agent',
    title: 'use the SSH agent of the user',
    goal: 'escape',
    without: 'neither',
    script:
      '[ -S "$AGENT_SOCKET" ] && python3 -c "import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print(\'REACHED\')" "$AGENT_SOCKET"',
  },
  {
    id: 'network',
    title: 'connect to a server of this machine',
    goal: 'escape',
    without: 'neither',
    script: 'curl -s -m 5 "$ADDRESS/healthz" | grep -q . && echo REACHED',
  },
  {
    id: 'tmp',
    title: 'read a file of another program in /tmp',
    goal: 'read',
    without: 'neither',
    script: 'cat "$SHARED_TMP"',
  },
  {
    id: 'userns-mount',
    title: 'mount in a namespace of its own to see more',
    goal: 'read',
    without: 'neither',
    needs: 'unshare',
    script: 'unshare -Urm sh -c "umount -l /tmp; mount --bind / /mnt; cat $PERSON/.netrc /mnt$PERSON/.netrc"',
  },
]

const SYSCALL = 'python3 syscall.py'
/** A repository whose configuration starts a program when git compares files. */
const EVIL_CONFIG = `git config filter.x.clean "touch '$PERSON/ran'; cat"; git config core.fsmonitor "touch '$PERSON/ran'; false"; echo '* filter=x' > .gitattributes`
const COMMIT = 'git -c user.name=n -c user.email=e commit -q --allow-empty -m x'

/** A person, or Signalbox for them, compares files and looks at changes afterwards, outside. */
const afterwards: Attack[] = [
  {
    id: 'git-config',
    title: 'configure a program in the repository of the project',
    goal: 'later',
    isLast: true,
    without: 'neither',
    script: `cd ..; ${EVIL_CONFIG}`,
  },
  {
    id: 'git-hooks',
    title: 'write a hook of the repository',
    goal: 'later',
    isLast: true,
    without: 'neither',
    script: `cd ..; for h in post-index-change pre-commit reference-transaction; do printf '#!/bin/sh\ntouch "%s/ran"\n' "$PERSON" > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
  },
  {
    id: 'git-replace',
    title: 'put another repository in the place of that of the project',
    goal: 'later',
    isLast: true,
    without: 'neither',
    script: `cd ..; mv .git was-git && git init -q . && ${COMMIT} && ${EVIL_CONFIG}`,
  },
  {
    id: 'git-commondir',
    title: 'give the repository the configuration of another one',
    goal: 'later',
    isLast: true,
    without: 'neither',
    script: `cp -r ../.git other; git config -f other/config core.fsmonitor "touch '$PERSON/ran'; false"; echo "../\${PWD##*/}/other" > ../.git/commondir; sleep 1.5`,
  },
  {
    id: 'git-nested',
    title: 'make a repository in the repository that names a filter',
    goal: 'later',
    isLast: true,
    script: `git init -q in; cd in; echo 1 > f; git add f; ${COMMIT}; git config filter.x.clean "touch '$PERSON/ran'; cat"; echo '* filter=x' > .gitattributes; cd ..; git add -f in; echo 2 > in/f`,
  },
  {
    id: 'link-shown',
    title: 'link to a password, and have the changes of the session shown',
    goal: 'shown',
    isLast: true,
    script: 'ln -s "$PERSON/.pgpass" notes.txt; ln -s "$PERSON" folder; git add -f notes.txt',
  },
]

const kernel: Attack[] = [
  {
    id: 'keyring',
    title: 'read the keys of the user in the kernel',
    goal: 'escape',
    without: 'kernel',
    script: `${SYSCALL} keyctl`,
  },
  { id: 'userfaultfd', title: 'use userfaultfd', goal: 'escape', without: 'kernel', script: `${SYSCALL} userfaultfd` },
  { id: 'io-uring', title: 'use io_uring', goal: 'escape', without: 'kernel', script: `${SYSCALL} io_uring` },
  {
    id: 'own-keys',
    title: 'type into its own terminal (TIOCSTI)',
    goal: 'escape',
    without: 'kernel',
    script: 'python3 tiocsti.py /dev/tty && echo REACHED',
  },
  {
    id: 'outer-namespaces',
    title: 'enter the namespaces around the sandbox',
    goal: 'read',
    needs: 'nsenter',
    without: 'neither',
    script:
      'cat "$PERSON/.netrc" "/proc/1/root$PERSON/.netrc"; for p in $(ls /proc | grep "^[0-9]"); do nsenter -t $p -U -m --preserve-credentials cat "$PERSON/.netrc"; nsenter -t $p -m cat "$PERSON/.netrc"; done 2>/dev/null',
  },
]

const reports: Attack[] = [
  {
    id: 'hook-pane',
    title: 'report as the agent in a pane of the person',
    goal: 'escape',
    script: `for s in "$SOCKET" "$SIGNALBOX_SOCKET"; do curl -s -m 5 --unix-socket "$s" http://signalbox/api/v1/hooks/claude ${JSON_TYPE} -d '{"event":"Stop","tmuxPane":"%0","payload":{"hook_event_name":"Stop","session_id":"x"}}'; done | grep -q '"pane":"' && echo REACHED`,
  },
  {
    id: 'hook-victim',
    title: 'report as another session, with its own token',
    goal: 'escape',
    script: `for s in "$SOCKET" "$SIGNALBOX_SOCKET"; do curl -s -m 5 --unix-socket "$s" http://signalbox/api/v1/hooks/demo -H "authorization: Bearer $SIGNALBOX_HOOK_TOKEN" ${JSON_TYPE} -d '{"event":"Stop","session":"'$VICTIM'","payload":{"hook_event_name":"Stop"}}'; done | grep -q "$VICTIM" && echo REACHED`,
  },
  {
    id: 'mcp',
    title: 'decide through the MCP server',
    goal: 'decide',
    script: `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"approval_decide","arguments":{"id":"'$APPROVAL'","option":"'"$OPTION"'","fingerprint":"'$FINGERPRINT'"}}}' | (cat; sleep 3) | timeout 8 ${CLEAN} $SIGNALBOX mcp`,
  },
]

/** The last one: the request that it forges a decision for is closed afterwards. */
const last: Attack[] = [
  {
    id: 'store-forge',
    isLast: true,
    title: 'write a decision into the store',
    goal: 'decide',
    script: '$NODE $FORGE "$SB_HOME/data" decision $APPROVAL $FINGERPRINT $DISPLAY_HASH "$OPTION"; sleep 2',
  },
]

export const ATTACKS: readonly Attack[] = [
  ...decide,
  ...gates,
  ...grants,
  ...typing,
  ...takeOver,
  ...settings,
  ...reading,
  ...outside,
  ...afterwards,
  ...kernel,
  ...reports,
  ...last,
]
