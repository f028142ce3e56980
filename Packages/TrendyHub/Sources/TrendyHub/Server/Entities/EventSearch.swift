import Foundation
import TrendyModels

package struct EventSearch: Sendable {
  /// Lowercase words, all of which must occur in the event's visible text.
  let words: [String]
  let typeId: String?
  let placeId: String?

  package init(words: [String], typeId: String?, placeId: String?) {
    (self.words, self.typeId, self.placeId) = (words, typeId, placeId)
  }

  static let eventsAtOnce = 10_000
  /// Size of the first batch. Small, because frequent words are found within a few events.
  private static let firstPart = 256

  /// Runs the search, latest events first.
  ///
  /// - Parameters:
  ///   - reading: A read transaction for the user.
  ///   - before: Exclusive end of the search, in milliseconds since 1970.
  ///   - limit: Number of matches after which the search ends. Matches with equal timestamps are never split.
  ///   - texts: Trigram index, to which the search adds months.
  /// - Returns: The matches, and the timestamp before which to continue or, if the search is complete, `nil`.
  func run(
    _ reading: any HubReadTransaction, before: Int64, limit: Int, texts: inout MonthTexts
  ) throws -> (found: [HubEntry], next: Int64?) {
    var names: [String: String] = [:]
    for entry in try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max) {
      names[entry.id] = entry.fields["name"]?.value.stringValue?.lowercased()
    }
    let prefilter = EventPrefilter(typeId: typeId, words: words, names: names, identifiers: placeId.map { [$0] } ?? [])
    var found: [HubEntry] = []
    var next: Int64? = before
    var (looked, size) = (0, Self.firstPart)
    while let end = next, looked < Self.eventsAtOnce {
      // Skip months only after the first batch, which suffices for frequent words.
      var start = Int64.min
      if looked > 0, prefilter.isOfText {
        guard let last = try reading.living(kind: SyncedKind.event.name, during: Int64.min..<end, limit: 1).first else {
          return (found, nil)
        }
        let passed = try texts.pass(last.listMoment + 1, prefilter, reading)
        looked += passed.looked
        if let month = passed.start {
          next = month
          continue
        }
        start = DayCountCache.start(ofMonth: DayCountCache.month(of: last.listMoment))
      }
      var page = try reading.events(during: start..<end, limit: size, prefilter: prefilter)
      next = start == .min ? nil : start
      if page.looked == size, let last = page.last {
        // Include every event with the last timestamp, because the next batch ends before it.
        page.entries.removeAll { $0.listMoment == last }
        page.entries += try reading.events(during: last..<last + 1, limit: .max, prefilter: prefilter).entries
        next = last
      }
      for event in page.entries {
        if found.count >= limit, found.last?.listMoment != event.listMoment { return (found, found.last?.listMoment) }
        if matches(event, names) { found.append(event) }
      }
      looked += page.looked
      size *= 2
    }
    return (found, next)
  }

  /// Returns whether an event matches. `names` contains the lowercase names of the event types by id.
  package func matches(_ event: HubEntry, _ names: [String: String]) -> Bool {
    if let typeId, event.fields["event_type_id"]?.value.stringValue != typeId { return false }
    if let placeId, event.fields["geofence_id"]?.value.stringValue != placeId { return false }
    return event.holds(words, typeNames: names)
  }
}

extension HubEntry {
  fileprivate func holds(_ words: [String], typeNames: [String: String]) -> Bool {
    guard !words.isEmpty else { return true }
    var text = fields["event_type_id"]?.value.stringValue.flatMap { typeNames[$0] } ?? ""
    for (name, field) in fields where name.hasPrefix("properties.") || Self.readable.contains(name) {
      // An encoded route is not visible text.
      if name == "properties.route" { continue }
      let value = field.value.objectValue?["value"] ?? field.value
      if let part = value.stringValue { text += "\n" + part }
    }
    text = text.lowercased()
    return words.allSatisfy { text.contains($0) }
  }

  private static let readable: Set<String> = ["notes", "original_title", "location_name"]
}
