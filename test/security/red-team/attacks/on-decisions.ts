import type { Attack } from '../attack.js'
import {
  APPROVE,
  BODY,
  CLEAN,
  CLEAN_INSIDE,
  CODE,
  DECIDE,
  JSON_TYPE,
  ON_PORT,
  ON_SOCKET,
  waitFor,
  YOUR_TMUX,
} from './commands.js'

/* Attacks that decide a request, answer a gate or make a grant. */

export const decide: readonly Attack[] = [
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
export const gates: readonly Attack[] = [
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

export const grants: readonly Attack[] = [
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
