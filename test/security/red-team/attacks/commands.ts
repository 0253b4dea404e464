/* Commands that several attacks use. */

export const APPROVE = '$SIGNALBOX approve $APPROVAL --fingerprint $FINGERPRINT'
/** The same without a command of ours, which takes ten times as long to start. */
export const DECIDE = 'python3 call.py $SOCKET $APPROVAL $FINGERPRINT $DISPLAY_HASH stay $OPTION'
/** As a person's shell: nothing of the session is left in the environment. */
export const CLEAN = 'env -i PATH="$PATH" SHELL=/bin/sh HOME="$PERSON" SIGNALBOX_HOME="$SB_HOME"'
/** The same inside of quotes. */
export const CLEAN_INSIDE = 'env -i PATH=$PATH HOME=$PERSON SIGNALBOX_HOME=$SB_HOME'
export const CODE = `python3 code.py $SOCKET $APPROVAL $FINGERPRINT $DISPLAY_HASH '$OPTION' $TMUX_SOCKET $TMUX_TTY`
/** For what another program does on request; a request that failed ends the attack before. */
export const waitFor = (name: string) =>
  `n=0; while [ ! -e ${name}.end ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n+1)); done; cat ${name}.end`
export const YOUR_TMUX = 'tmux -S "$TMUX_SOCKET"'
export const BODY = `'{"option":"'"$OPTION"'","fingerprint":"'$FINGERPRINT'","seen":{"displayHash":"'$DISPLAY_HASH'","whole":true}}'`
export const JSON_TYPE = `-H 'content-type: application/json'`
export const ON_SOCKET = 'curl -s -m 10 --unix-socket "$SOCKET" http://signalbox/api/v1'
export const ON_PORT = 'curl -s -m 10 -H "authorization: Bearer $(cat "$SB_HOME/state/token")" "$ADDRESS/api/v1'
