import TrendyFoundation
import TrendyModels

/// Reads ActivityWatch buckets, and imports the programs in the foreground while the user was present.
///
/// Intervals of the same program that are less than a minute apart become one event. Window titles and page addresses
/// are not read. The buckets depend on each other and may be in any order, so all intervals are kept in memory until
/// the end of the file (24 bytes each).
struct ActivityWatch {
  /// Minimum gap between two events of the same program, in milliseconds.
  private static let gap: Int64 = 60_000

  /// Members of a bucket that are not read.
  private static let members: Set<String> = [
    "id", "type", "client", "hostname", "created", "name", "data", "last_updated", "metadata",
  ]

  /// Interval during which one program was in the foreground, or the user was present.
  private struct Stretch {
    /// Milliseconds since 1970.
    var start: Int64
    var end: Int64
    /// Index into `names`.
    var name: Int
  }

  private enum Kind {
    case window
    case editor
    /// Presence of the user.
    case present
  }

  private var names: [String] = []
  private var indexes: [String: Int] = [:]
  private var stretches: [String: (kind: Kind, list: [Stretch])] = [:]
  /// Machines whose presence data is in the file, even if the user was never present.
  private var guarded: Set<Substring> = []

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    guard let outline = JSONOutline(head.withoutLeadingSpace) else { return false }
    return outline.members["buckets"] != nil && head.withoutLeadingSpace.first == UInt8(ascii: "{")
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var watch = ActivityWatch()
    try withoutActuallyEscaping(body) { body in
      try JSONWalker.walk(input) { path in
        switch path.count {
        case 0: .enter
        case 1: path[0] == "buckets" ? .enter : .skip
        case 2: .enter
        case 3: path[2] == "events" ? .each : members.contains(path[2]) ? .skip : .take
        default: .skip
        }
      } _: { path, value, place in
        guard path.last == "events", path.count > 1 else {
          return try body(.bad(reason: "unknown member of a bucket"), place)
        }
        if let record = watch.take(value, bucket: path[1]) { try body(record, place) }
      } onBroken: { reason, place in
        try body(.bad(reason: reason), place)
      }
    }
    try watch.give(options, body)
  }

  // MARK: Heartbeats

  private mutating func take(_ event: JSONValue, bucket: String) -> InterchangeRecord? {
    guard let start = event["timestamp"]?.moment, let seconds = event["duration"]?.number else {
      return .bad(reason: "an event needs a timestamp and a duration")
    }
    guard (0...1e7).contains(seconds) else { return .bad(reason: "invalid duration: \(seconds) seconds") }
    let data = event["data"]
    if let status = data?["status"]?.stringValue {
      guarded.insert(Self.host(bucket))
      guard status == "not-afk" else {
        return status == "afk" ? nil : .bad(reason: "unknown status '\(status.prefix(40))'")
      }
      return add(start, seconds, "", .present, bucket)
    }
    // Determine the kind of a bucket from the data, because the declared kind may follow the events in the file.
    if data?["url"] != nil { return .skip(what: "browser page (addresses are private)") }
    if data?["file"] != nil, data?["project"] != nil || data?["language"] != nil {
      let project = (data?["project"]?.stringValue ?? "").split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
      return add(start, seconds, project, .editor, bucket)
    }
    guard let app = data?["app"]?.stringValue else { return .skip(what: "event from an unsupported watcher") }
    return add(start, seconds, app, .window, bucket)
  }

  private mutating func add(
    _ start: Date, _ seconds: Double, _ name: String, _ kind: Kind, _ bucket: String
  ) -> InterchangeRecord? {
    let index = indexes[name] ?? names.count
    if index == names.count {
      names.append(name)
      indexes[name] = index
    }
    let milliseconds = Int64((start.timeIntervalSince1970 * 1000).rounded())
    let new = Stretch(start: milliseconds, end: milliseconds + Int64((seconds * 1000).rounded()), name: index)
    Self.append(new, to: &stretches[bucket, default: (kind, [])].list)
    return nil
  }

  /// Adds an interval, or extends the last interval if the two intervals have the same program and are adjacent, in
  /// either order.
  private static func append(_ new: Stretch, to list: inout [Stretch]) {
    guard let last = list.last, last.name == new.name, new.start <= last.end + 1000, last.start <= new.end + 1000 else {
      return list.append(new)
    }
    list[list.count - 1].start = min(last.start, new.start)
    list[list.count - 1].end = max(last.end, new.end)
  }

  // MARK: Events

  private func give(_ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    let present = stretches.filter { $0.value.kind == .present }
    for (bucket, held) in stretches.sorted(by: { $0.key < $1.key }) where held.kind != .present {
      let mine = present.filter { Self.host($0.key) == Self.host(bucket) }.flatMap(\.value.list)
      let clipped =
        guarded.contains(Self.host(bucket)) ? Self.clipped(held.list, to: Self.merged(mine, gap: 0)) : held.list
      if clipped.isEmpty, !held.list.isEmpty {
        try body(.skip(what: "event while absent", count: held.list.count), "buckets.\(bucket)")
      }
      for (stretch, active) in Self.joined(clipped) { try give(stretch, active, held.kind, bucket, options, body) }
    }
    let watched = Set(stretches.filter { $0.value.kind == .window }.map { Self.host($0.key) })
    for (bucket, held) in present.sorted(by: { $0.key < $1.key }) where !watched.contains(Self.host(bucket)) {
      for stretch in Self.merged(held.list, gap: Self.gap) {
        try give(stretch, stretch.end - stretch.start, .present, bucket, options, body)
      }
    }
  }

  private func give(
    _ stretch: Stretch, _ active: Int64, _ kind: Kind, _ bucket: String, _ options: ImportOptions,
    _ body: InterchangeFormat.Handler
  ) throws {
    let place = "buckets.\(bucket)"
    guard active >= 1000 else { return try body(.skip(what: "event shorter than a second"), place) }
    let start = Date(timeIntervalSince1970: Double(stretch.start) / 1000)
    let end = Date(timeIntervalSince1970: Double(stretch.end) / 1000)
    let name = names[stretch.name]
    guard
      var event = ExternalEvent(
        span: start, end, type: kind == .editor ? "Coding" : "Screen time",
        key: ["activitywatch", bucket, "\(stretch.start)", name], options)
    else { return }
    event.hints = [name.lowercased()]
    if !name.isEmpty { event.properties[kind == .editor ? "project" : "app"] = .text(name) }
    event.properties["active"] = .duration(Double(active / 1000))
    try body(.event(event), place)
  }

  /// Returns the machine to which a bucket belongs: the part after the last underscore, as in `aw-watcher-window_pc`.
  private static func host(_ bucket: String) -> Substring {
    bucket.lastIndex(of: "_").map { bucket[bucket.index(after: $0)...] } ?? bucket[...]
  }

  /// Sorts the intervals and merges intervals that overlap or are at most `gap` milliseconds apart.
  private static func merged(_ list: [Stretch], gap: Int64) -> [Stretch] {
    var merged: [Stretch] = []
    for stretch in list.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
      if let last = merged.last, stretch.start <= last.end + gap {
        merged[merged.count - 1].end = max(last.end, stretch.end)
      } else {
        merged.append(stretch)
      }
    }
    return merged
  }

  /// Returns the parts of the intervals within `spans`, which must be sorted and must not overlap.
  private static func clipped(_ list: [Stretch], to spans: [Stretch]) -> [Stretch] {
    var parts: [Stretch] = []
    var first = 0
    for stretch in list.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
      while first < spans.count, spans[first].end <= stretch.start { first += 1 }
      var index = first
      while index < spans.count, spans[index].start < stretch.end {
        let part = Stretch(
          start: max(stretch.start, spans[index].start), end: min(stretch.end, spans[index].end), name: stretch.name)
        if part.end > part.start { parts.append(part) }
        index += 1
      }
    }
    return parts
  }

  /// Merges intervals of the same program that are less than ``gap`` apart, and returns the active time of each result
  /// in milliseconds.
  private static func joined(_ list: [Stretch]) -> [(Stretch, active: Int64)] {
    var open: [Int: (Stretch, active: Int64)] = [:]
    var done: [(Stretch, active: Int64)] = []
    for stretch in list.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
      let active = stretch.end - stretch.start
      if let (last, before) = open[stretch.name], stretch.start < last.end + gap {
        let own = max(0, stretch.end - max(stretch.start, last.end))
        open[stretch.name] = (
          Stretch(start: last.start, end: max(last.end, stretch.end), name: last.name), before + own
        )
      } else {
        if let last = open[stretch.name] { done.append(last) }
        open[stretch.name] = (stretch, active)
      }
    }
    return (done + open.values).sorted { ($0.0.start, $0.0.name) < ($1.0.start, $1.0.name) }
  }
}
