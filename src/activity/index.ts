/*
 * What a headless agent does, as a stream of activities: text, thoughts, tool calls, results,
 * usage, errors. An agent's parser (src/agents/headless/) turns lines of output into activities;
 * read-activities.ts runs it over a process, segment.ts writes and reads the log of one step, and
 * silence-timeout.ts ends a step that reports nothing for too long.
 */

export {
  type Activity,
  type ActivityBody,
  type ErrorClass,
  type ToolKind,
  truncateOutput,
  type UsageActivity,
} from './activity.js'
export { type JsonPart, JsonSplitter } from './json-splitter.js'
export { mergePipes } from './merge-pipes.js'
export { type ActivityParser, readActivities } from './read-activities.js'
export { readSegment, SegmentWriter, segmentPath } from './segment.js'
export { SilenceTimeout, withSilenceTimeout } from './silence-timeout.js'
