export {
  type Guess,
  HeuristicAnalyser,
  type HeuristicSignal,
  SUPPRESS_REASONS,
  type SuppressReason,
} from './analyser.js'
export { type ContentFeatures, featuresLater, featuresOf, hasLiveMenu, spinnerMask } from './content-features.js'
export { Gate, type GateQuestion, type GateReason } from './gate.js'
export { compilePatterns, type HeuristicSettings, type Patterns } from './patterns.js'
