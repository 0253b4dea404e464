/*
 * From rows to turns, messages and blocks.
 *
 * An agent draws its conversation on a screen: prompts, answers, tool calls, above an input box
 * that moves down or stays at the bottom. This folder finds the conversation in what the screen
 * shows. It has no clock and no I/O, except for `MessageWriter`, which writes messages to the log.
 *
 *   Look (one classified frame, from panes/)
 *     │
 *     ▼  ConversationRows        the rows above the live part, with stable ids, in both buffers
 *     ▼  Conversation            the open turn and the open message: which rows they cover
 *     │     BlockReader          rows → blocks, by the agent's pack (screen/)
 *     │     turn-echo            whether the prompt on screen is that of the open turn
 *     │     OpenMessage          the blocks of the open message, with reported text in place
 *     │     message-tail         where the last message ended, found again after rows have moved
 *     │     ReportedText         the agent's own text (transcript, hooks) replaces the screen's
 *     │     ClosedMessages       recent messages, which reported text may still correct
 *     ▼  TurnActions             what the phase table's actions do with turn and message
 *     │     IdleOutput           output that appears while the agent is idle
 *     ▼  MessageWriter           closed messages → `message.final` in the log;
 *                                the open one → ephemeral `message.update`
 *
 * Words: an *echo* is a prompt as the agent shows it; a *turn* lasts from an echo until the agent
 * is idle again; a *message* is what the agent said in a turn between two points where it stopped
 * for an answer. A prompt that waited in the agent's queue begins a turn when its echo appears.
 * Turns and messages are named by counting (`ses_….3`, `ses_….3.1`), so that reading the same bytes
 * again after a restart gives the same names, and the journal writes each of them once.
 *
 * A message is read twice by the same code: while it grows, its last rows may still change, and its
 * blocks are provisional; when the agent stops, all its rows are read again, and that is the
 * message.
 *
 * `readConversation` is the other way in: it reads the turns that a terminal shows and keeps at
 * once, for an agent that Signalbox did not start (`live/joined-conversation`).
 *
 * Not here: when a turn begins or ends (the phase table, `live/`), how rows become blocks
 * (`screen/`), and who sees a message (the surfaces, by the log and the host's bus).
 */
export { Conversation } from './conversation.js'
export { isCleared, type RowSource } from './conversation-rows.js'
export { type ConversationState, firstRowNeeded } from './conversation-state.js'
export { type MessageRef, MessageWriter, type SessionUpdate } from './message-writer.js'
export { knownTurns, type ReadTurn, readConversation, turnPrompts } from './read-conversation.js'
export type { ClosedMessage, ReportedText } from './reported-text.js'
export { IdleOutput, TurnActions, type TurnActionsOptions } from './turn-actions.js'
