export {
  type Guess,
  HeuristicAnalyser,
  type HeuristicSignal,
  SUPPRESS_REASONS,
  type SuppressReason,
} from './analyser.js'
export { Gate, type GateQuestion, type GateReason } from './gate.js'
export { compilePatterns, type HeuristicSettings, type Patterns } from './patterns.js'
export { hasLiveMenu, type Sight, sightAgain, sightOf, spinnerMask } from './sight.js'
