/*
 * Text, pure: widths and clusters of characters, truncation, line diffs, formats of times and
 * sizes, JSON in canonical form, redaction of secrets (redact.ts, redact-rules.ts), and characters
 * that hide or imitate others made visible (visible-text.ts).
 */

export { budgetSentence, raiseCommand, raisedLimit, type UsedBudget } from './budget-words.js'
export { canonicalJson } from './canonical-json.js'
export { type AmbiguousWidth, CharClass, characterClass, characterClasses } from './character-class.js'
export { closestMatch } from './closest-match.js'
export { ASCII_END, asciiCluster, columnsOf, nextCluster } from './cluster.js'
export { costText, isUnpriced, knownCost, type Unpriced, unpricedText } from './cost-words.js'
export { displayWidth } from './display-width.js'
export { EventStreamParser } from './event-stream.js'
export { csvCell, formatAge, formatDuration, plural } from './format.js'
export { graphemes } from './graphemes.js'
export { hasWords } from './has-words.js'
export { type DiffGap, type DiffLine, lineDiff, shortenDiff } from './line-diff.js'
export { isOpenRun, isPausedByBudget, paneNeedsYou, runNeedsYou } from './needs-you.js'
export { type InlineRun, parseInline } from './parse-inline.js'
export { qrLines } from './qr-code.js'
export { createRedactor, type Redactor, secretsFromEnvironment } from './redact.js'
export { useTokenShapes } from './redact-rules.js'
export { soleJsonObject } from './sole-json.js'
export { splitWords } from './split-words.js'
export {
  closedReason,
  type NodeState,
  nodeWord,
  type PaneFacts,
  paneState,
  REQUEST_WORDS,
  type RequestState,
  type RunFacts,
  requestWord,
  riskWord,
  runWord,
  sessionState,
  stateWord,
  statusState,
  surfaceWord,
} from './status-word.js'
export { stripAnsi } from './strip-ansi.js'
export { parseTokenShape } from './token-shapes.js'
export { scanTomlPositions, type TomlPositions } from './toml-positions.js'
export { toolLine } from './tool-words.js'
export { truncate } from './truncate.js'
export { optionText, plainLabel, visibleText, withoutKey } from './visible-text.js'
export { visibleValue } from './visible-value.js'
export { writeJson } from './write-json.js'
