import type { Attack } from '../attack.js'
import { APPROVE, CLEAN, JSON_TYPE, ON_PORT, ON_SOCKET, waitFor, YOUR_TMUX } from './commands.js'

/* Attacks that type into a session, take it over, or change settings. */

export const typing: readonly Attack[] = [
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

export const takeOver: readonly Attack[] = [
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

export const settings: readonly Attack[] = [
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
