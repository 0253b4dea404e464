export {
  type Activity,
  type ActivityBody,
  type ErrorClass,
  type ToolKind,
  truncateOutput,
  type UsageActivity,
} from './activity.js'
export { type JsonFrame, JsonFramer } from './json-framer.js'
export { mergePipes } from './merge-pipes.js'
export { type ActivityParser, readActivities } from './read-activities.js'
export { readSegment, SegmentWriter, segmentPath } from './segment.js'
export { SilenceTimeout, withSilenceTimeout } from './silence-timeout.js'
