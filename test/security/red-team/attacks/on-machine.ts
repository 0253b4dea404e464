import type { Attack } from '../attack.js'
import { CLEAN, JSON_TYPE, ON_SOCKET } from './commands.js'

/* Attacks that read or write outside of the project, or use the kernel; and forged reports. */

export const reading: readonly Attack[] = [
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

export const outside: readonly Attack[] = [
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
export const afterwards: readonly Attack[] = [
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

export const kernel: readonly Attack[] = [
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

export const reports: readonly Attack[] = [
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
export const last: readonly Attack[] = [
  {
    id: 'store-forge',
    isLast: true,
    title: 'write a decision into the store',
    goal: 'decide',
    script: '$NODE $FORGE "$SB_HOME/data" decision $APPROVAL $FINGERPRINT $DISPLAY_HASH "$OPTION"; sleep 2',
  },
]
