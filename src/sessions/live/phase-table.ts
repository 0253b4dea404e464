import { type ActionOf, defineMachine, type EventOf, type StateOf } from '../../machine/index.js'
import type { Observation } from '../../screen/index.js'

/**
 * What Signalbox does with a session as its screen changes. Events are the settled views, two of
 * them split by payload, and what happens besides the screen. `startup`, `user_message` and
 * `unknown` may come at any time and mostly mean nothing here.
 */
export const phaseTable = defineMachine({
  name: 'phase',
  about:
    'What Signalbox does with a session as its screen changes. The first events are the views of the screen; `prompt-sent`, `transcript-block`, `interrupted`, `process-exit` and `silence` do not come from the screen.',
  states: ['dormant', 'thinking', 'streaming', 'tool-pending'],
  events: [
    'startup',
    'idle_prompt',
    'user_message',
    'thinking',
    'response_content',
    'tool_menu',
    'tool_menu:new',
    'tool_running',
    'tool_result',
    'todo_list',
    'parallel_agents',
    'background_task',
    'auth_required',
    'error',
    'error:final',
    'unknown',
    'prompt-sent',
    'transcript-block',
    'interrupted',
    'process-exit',
    'silence',
  ],
  initial: 'dormant',
  actions: {
    'begin-turn': 'Remember the row where the turn starts.',
    'open-message': 'Open the message that answers the prompt.',
    'start-typing': 'Show the typing indicator.',
    'stop-typing': 'Hide the typing indicator.',
    extract: 'Read the new blocks of the open message from the screen.',
    'extract-turn': 'Read all blocks of the turn from the screen.',
    'extract-idle-output': 'Read output that appeared while no turn was open.',
    'show-message': 'Send the open message to the surfaces.',
    finalize: 'Close the open message and write it to the log.',
    ask: 'Open an approval for the menu on the screen.',
    'close-approval': 'Close the approval of the menu that has gone.',
    'warn-auth': 'Report that the agent asks for a login.',
    'end-for-auth': 'End the session if no terminal attaches in time.',
    reconcile: 'Compare the messages with the agent’s own transcript.',
    'notice-silence': 'Report that a busy session has not changed for long.',
    'end-session': 'Write the end of the session to the log.',
  },
  exit: { 'tool-pending': ['close-approval'] },
  rows: [
    ['dormant', 'thinking', 'thinking', ['begin-turn', 'open-message', 'start-typing']],
    ['thinking', 'thinking', '='],
    ['streaming', 'thinking', 'thinking', ['finalize', 'open-message', 'start-typing']],
    ['tool-pending', 'thinking', 'thinking', ['open-message', 'start-typing']],

    ['dormant', 'response_content', 'streaming', ['begin-turn', 'extract', 'show-message']],
    ['thinking', 'response_content', 'streaming', ['stop-typing', 'extract', 'show-message']],
    ['streaming', 'response_content', '=', ['extract', 'show-message']],
    ['tool-pending', 'response_content', 'streaming', ['extract', 'show-message']],

    ['dormant', ['tool_menu', 'tool_menu:new'], 'tool-pending', ['ask']],
    ['thinking', ['tool_menu', 'tool_menu:new'], 'tool-pending', ['stop-typing', 'finalize', 'ask']],
    ['streaming', ['tool_menu', 'tool_menu:new'], 'tool-pending', ['finalize', 'ask']],
    ['tool-pending', 'tool_menu', '='],
    ['tool-pending', 'tool_menu:new', '=', ['close-approval', 'ask']],

    ['dormant', ['idle_prompt', 'background_task', 'error:final'], '=', ['extract-idle-output']],
    [
      'thinking',
      ['idle_prompt', 'background_task', 'error:final'],
      'dormant',
      ['stop-typing', 'extract-turn', 'finalize'],
    ],
    ['streaming', ['idle_prompt', 'background_task'], 'dormant', ['finalize']],
    ['streaming', 'error:final', 'dormant', ['extract', 'finalize']],
    ['tool-pending', ['idle_prompt', 'background_task'], 'dormant'],
    ['tool-pending', 'error:final', 'dormant', ['extract-turn', 'finalize']],

    // An agent may begin with a tool, before it thinks or writes. A result alone begins nothing:
    // the agent's own commands print one.
    ['dormant', 'tool_running', 'streaming', ['begin-turn', 'extract', 'show-message']],
    ['dormant', 'tool_result', '='],
    ['thinking', ['tool_running', 'tool_result'], 'streaming', ['stop-typing', 'extract', 'show-message']],
    ['streaming', ['tool_running', 'tool_result'], '=', ['extract', 'show-message']],
    ['tool-pending', 'tool_running', 'streaming'],
    ['tool-pending', 'tool_result', 'streaming', ['extract', 'show-message']],

    ['dormant', ['todo_list', 'parallel_agents', 'error'], 'streaming', ['begin-turn', 'extract', 'show-message']],
    ['thinking', ['todo_list', 'parallel_agents', 'error'], 'streaming', ['stop-typing', 'extract', 'show-message']],
    ['streaming', ['todo_list', 'parallel_agents', 'error'], '=', ['extract', 'show-message']],
    ['tool-pending', ['todo_list', 'parallel_agents', 'error'], 'streaming', ['extract', 'show-message']],

    ['dormant', 'auth_required', '=', ['warn-auth', 'end-for-auth']],
    ['thinking', 'auth_required', 'dormant', ['stop-typing', 'finalize', 'warn-auth', 'end-for-auth']],
    ['streaming', 'auth_required', 'dormant', ['finalize', 'warn-auth', 'end-for-auth']],
    ['tool-pending', 'auth_required', 'dormant', ['warn-auth', 'end-for-auth']],

    ['dormant', 'user_message', '=', ['begin-turn']],

    ['*', 'prompt-sent', '=', ['begin-turn']],
    // Without an open message there is nothing to show: `reconcile` corrects the last one while it
    // is recent.
    [['thinking', 'streaming'], 'transcript-block', '=', ['reconcile', 'show-message']],
    [['dormant', 'tool-pending'], 'transcript-block', '=', ['reconcile']],
    ['*', 'silence', '=', ['notice-silence']],

    ['thinking', 'interrupted', 'dormant', ['stop-typing', 'finalize']],
    ['streaming', 'interrupted', 'dormant', ['finalize']],
    ['tool-pending', 'interrupted', 'dormant'],
    ['dormant', 'interrupted', '='],

    ['*', 'process-exit', 'dormant', ['stop-typing', 'finalize', 'close-approval', 'end-session']],
  ],
})

export type Phase = StateOf<typeof phaseTable>
export type PhaseEvent = EventOf<typeof phaseTable>
export type PhaseAction = ActionOf<typeof phaseTable>

/** The table's event for a screen. `isNewMenu`: another than the one asked last. */
export function phaseEventOf(observation: Observation, isNewMenu: boolean): PhaseEvent {
  if (observation.view === 'tool_menu') return isNewMenu ? 'tool_menu:new' : 'tool_menu'
  if (observation.view === 'error') return (observation as Observation<'error'>).payload.final ? 'error:final' : 'error'
  return observation.view
}
