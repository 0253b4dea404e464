/*
 * Where an approval comes from, and how a decision gets back to the agent.
 *
 * An agent asks for the same thing in up to three ways: a menu on its screen, a hook or event that
 * reports the request, a transcript that records the tool use. They come in any order, and some
 * never come. This folder makes one approval in the ledger of them, and closes it exactly once.
 *
 *   menu on screen ──► MenuInstances ──► ScreenRequests ───┐
 *                      counts the         raise, close,    │
 *                      appearances        raise again      ▼
 *                                                      OpenRequests ◄──► Ledger (approvals/)
 *                                                       the open set       │
 *   hooks, transcript ─────────────────► ReportedRequests ─┘               │ approval.decided
 *                                         join, replace,                   ▼
 *                                         prove                     DecisionDelivery
 *                                                                    answer channel, else keys
 *
 * - `OpenRequests` is the one set that the other classes share: which requests are open, and which
 *   of them is on screen. Only that one can be answered by keys. Its `ToolUses` know which tool
 *   each request is about, so that the end of one use does not close another, equal request.
 * - `ScreenRequests` raises a request when a menu appears and closes it when the menu goes. An
 *   equal menu that follows is another instance, and another request.
 * - `ReportedRequests` takes the agent's reports. A report joins the request of its menu, replaces
 *   it by a fuller one, or proves what became of it.
 * - `build-request` builds what goes to the ledger: from a menu, a report, a tool use, or a form of
 *   several questions.
 * - `DecisionDelivery` brings a decision to the agent: by the `AnswerChannel` (a waiting hook, the
 *   agent's own protocol) if that can express it, otherwise by keys in the menu (`request-answer`).
 *   `apply-menu` types them, and verifies every key. A decision is *applied* only with proof.
 * - `AgentAllowances` records what the agent itself no longer asks about.
 *
 * A request ends in the ledger as applied (typed or observed), stale or cancelled; the reasons are
 * those of `approvals/`. After a restart `ScreenRequests.takeOver` compares the menu on screen with
 * the open requests in the ledger; nothing is typed twice, because every step of a delivery is
 * recorded before its keys.
 *
 * Not here: who may decide (`approvals/`), and when a menu counts as live (`screen/`).
 */
export { AgentAllowances } from './agent-allowances.js'
export { chooseOption } from './apply-menu.js'
export { type AnswerChannel, isDenial, NO_CHANNEL } from './request-answer.js'
export type { ScreenRequests } from './screen-requests.js'
export { liveMenu, MenuInstances, type MenuState } from './screen-requests.js'
export { SessionRequests } from './session-requests.js'
