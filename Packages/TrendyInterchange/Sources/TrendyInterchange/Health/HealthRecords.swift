import TrendyFoundation
import TrendyModels

enum HealthRecords {
  /// Reads the data file alone. Workout routes are in other files and are counted as skipped.
  static func read(
    _ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler
  ) throws {
    try report(body) {
      var routes = 0
      let summary = try HealthExport.read({ try input.read(into: $0) }) { event in
        routes += event.routes.count
        try body(.event(ExternalEvent(event, route: [], options)), place(of: event))
      }
      if routes > 0 {
        try body(.skip(what: "workout route (only in the complete archive)", count: routes), "the file")
      }
      return summary
    }
  }

  static func read(
    _ files: ExportFiles, _ options: ImportOptions, _ body: InterchangeFormat.Handler
  ) throws {
    try report(body) {
      guard let folder = try HealthExport.Folder(files) else {
        throw HealthExportError.notHealth(seen: "a folder without its data file")
      }
      return try folder.read { event in
        var route: [Coordinate] = []
        for path in event.routes {
          do {
            guard let file = try folder.route(path) else {
              try body(.skip(what: "route missing from the archive"), place(of: event))
              continue
            }
            route += file.points.map(\.coordinate)
          } catch let error as InterchangeError {
            try body(.bad(reason: "cannot import the route \(path): \(error)"), place(of: event))
          }
        }
        try body(.event(ExternalEvent(event, route: route, options)), place(of: event))
      }
    }
  }

  private static func place(of event: HealthEvent) -> String {
    event.line.map { "line \($0)" } ?? event.date.map { "\($0)" } ?? RFC3339.string(from: event.start)
  }

  private static func report(
    _ body: InterchangeFormat.Handler, _ read: () throws -> HealthExport.Summary
  ) throws {
    let summary: HealthExport.Summary
    do {
      summary = try read()
    } catch let error as HealthExportError {
      throw InterchangeError.unreadable(reason: "\(error)")
    }
    for (type, count) in summary.skipped.sorted(by: { $0.key < $1.key }) {
      let name = ["HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKDataType"].first { type.hasPrefix($0) }
      try body(.skip(what: String(type.dropFirst(name?.count ?? 0)), count: count), "the file")
    }
    for problem in summary.problems { try body(.bad(reason: problem.reason), problem.place) }
    for _ in summary.problems.count..<max(summary.problems.count, summary.problemCount) {
      try body(.bad(reason: "further problems of the same kinds"), "the file")
    }
  }
}

extension ExternalEvent {
  /// Creates an event. `route` is the part of a workout's route that the export contains.
  fileprivate init(_ event: HealthEvent, route: [Coordinate], _ options: ImportOptions) {
    self.init(typeName: event.category.name, key: [event.key], timestamp: event.start)
    hints = [event.category.rawValue]
    isKeyUnique = true
    endDate = event.end
    timeZone = event.timeZone ?? options.zone.name
    if let date = event.date {
      isAllDay = true
      timestamp = options.zone.date(date)
    }
    if let activity = event.properties["activity"]?.stringValue { title = activity }
    properties = event.properties
    self.route = route
    coordinate = route.first
  }
}
