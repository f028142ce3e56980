import TrendyFoundation
import TrendyModels

/// Reads the output of `task export`. Each completed task becomes an event at the time of its completion.
enum Taskwarrior {
  /// Attributes with a fixed meaning. All other attributes, including user-defined ones, are imported as properties.
  private static let known: Set<String> = [
    "annotations", "depends", "description", "due", "end", "entry", "id", "imask", "last", "mask", "modified", "parent",
    "recur", "rtype", "scheduled", "start", "status", "tags", "template", "until", "urgency", "uuid", "wait",
  ]

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    guard let members = JSONOutline(head.withoutLeadingSpace)?.members else { return false }
    return ["uuid", "status", "entry", "description"].allSatisfy { members[$0] != nil }
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    try withoutActuallyEscaping(body) { body in
      // Accept an array, or one object per line, which Taskwarrior writes with `json.array=off`.
      try JSONWalker.walk(input) { _ in
        .each
      } _: { _, value, place in
        try body(record(value, options), place)
      } onBroken: { reason, place in
        try body(.bad(reason: reason), place)
      }
    }
  }

  private static func record(_ task: JSONValue, _ options: ImportOptions) -> InterchangeRecord {
    guard let id = task["uuid"]?.stringValue, let status = task["status"]?.stringValue else {
      return .bad(reason: "a task needs a uuid and a status")
    }
    guard status == "completed" else { return .skip(what: "\(status.prefix(20)) task") }
    guard let end = (task["end"] ?? task["modified"])?.stringValue.flatMap({ TimeSheetTime.date($0) }) else {
      return .bad(reason: "a completed task needs an end")
    }
    var event = ExternalEvent(typeName: "Task", key: ["taskwarrior", id], timestamp: end)
    event.isKeyUnique = true
    event.timeZone = options.zone.name
    event.title = task["description"]?.stringValue
    let notes = (task["annotations"]?.arrayValue ?? []).compactMap { $0["description"]?.stringValue }
    let lines = [event.title].compactMap(\.self) + notes
    event.notes = lines.isEmpty ? nil : lines.joined(separator: "\n")
    if let project = task["project"]?.stringValue?.lowercased() {
      // Also match parent projects, because a mapping for `home` must match `home.admin` as well.
      let parts = project.split(separator: ".")
      event.hints = parts.indices.reversed().map { parts[...$0].joined(separator: ".") }
    }
    for (name, value) in task.objectValue ?? [:] where !known.contains(name) {
      switch value {
      case .string(let text) where !text.isEmpty: event.properties[name] = .text(text)
      case .int(let number): event.properties[name] = PropertyValue(type: .number, value: .int(number))
      case .double(let number): event.properties[name] = .number(number)
      default: break
      }
    }
    let tags = (task["tags"]?.arrayValue ?? []).compactMap(\.stringValue)
    if !tags.isEmpty { event.properties["tags"] = .text(tags.joined(separator: ", ")) }
    return .event(event)
  }
}
