import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Completion candidates from the store. There are none if the store is missing or unreadable, because completion must
/// not print errors.
struct StoreValues: CompletionValues {
  private let session: Session
  private let storeDirectory: URL

  /// Uses the store from `--store` in the line to be completed or, without it, the session's store.
  init(_ session: Session, line: [String]) {
    self.session = session
    let named = line.lastIndex(of: "--store").flatMap { line.dropFirst($0 + 1).first }
    storeDirectory = named.map { URL(filePath: $0) } ?? session.storeDirectory
  }

  /// Number of recent events to offer.
  private static let offered = 30

  func values(of kind: ValueKind, after arguments: [String]) -> [Candidate] {
    if kind == .file || kind == .folder { return [.files] }
    if kind == .setting { return Setting.all.map { Candidate($0.key, $0.help) } }
    if kind == .settingValue { return values(ofSetting: arguments.first) }
    if kind == .goal { return Self.goals }
    guard DeviceRecord.exists(at: storeDirectory), let app = try? AppContainer(storeDirectory: storeDirectory) else {
      return []
    }
    return (try? values(of: kind, after: arguments, in: app.makeStore())) ?? []
  }

  private static let goals = [
    Candidate("1/day", "every day"), Candidate("8/day", "eight a day"), Candidate("3/week", "three a week"),
    Candidate("20min/day", "twenty minutes a day"), Candidate("at most 2/day", "no more than two a day"),
    Candidate("none", "no goal"),
  ]

  private func values(ofSetting key: String?) -> [Candidate] {
    guard let spec = Setting.all.first(where: { $0.key == key }) else { return [] }
    return spec.kind == .path ? [.files] : spec.words.map { Candidate($0) }
  }

  private func values(of kind: ValueKind, after arguments: [String], in store: any DataStoreProtocol) throws
    -> [Candidate]
  {
    switch kind {
    case .eventType: try store.fetchAllEventTypes().map { Candidate($0.name, $0.iconName) }
    case .place: try store.fetchAllGeofences().map { Candidate($0.name) }
    case .vehicle: try store.vehicles().map { Candidate($0.name) }
    case .rule: try store.tripRules().map { Candidate($0.name) }
    case .propertyKey:
      Set(try definitions(for: arguments.first, in: store).map(\.key)).sorted().map { Candidate($0) }
    case .property: try properties(after: arguments, in: store)
    case .event: try events(from: Set(EventSourceType.allCases), in: store)
    case .trip: try events(from: [.trip], in: store)
    default: []
    }
  }

  /// Returns `key=`, or `key=value` for each possible value, for properties not given yet.
  private func properties(after arguments: [String], in store: any DataStoreProtocol) throws -> [Candidate] {
    let given = Set(arguments.compactMap { word in word.firstIndex(of: "=").map { word[..<$0].lowercased() } })
    return try definitions(for: arguments.first, in: store).filter { !given.contains($0.key.lowercased()) }
      .flatMap { definition in
        let choices = definition.propertyType == .boolean ? ["yes", "no"] : definition.options
        return choices.isEmpty
          ? [Candidate("\(definition.key)=", definition.label)]
          : choices.map { Candidate("\(definition.key)=\($0)", definition.label) }
      }
  }

  /// Returns the properties of the named type, of the named event's type or, failing both, of all types.
  private func definitions(
    for name: String?, in store: any DataStoreProtocol
  ) throws -> [PropertyDefinition] {
    let lookup = Lookup(store: store)
    if let name, let type = try? lookup.eventType(name, hintToMake: { $0 }) { return try store.definitions(of: type) }
    let all = try store.fetchAllPropertyDefinitions()
    guard let name, let event = try? lookup.event(name) else { return all }
    return all.filter { $0.eventTypeId == event.eventTypeId }
  }

  private func events(from sources: Set<EventSourceType>, in store: any DataStoreProtocol) throws -> [Candidate] {
    let text = EventText(session: session, types: try store.fetchAllEventTypes())
    return try store.lastRecordedEvents(Self.offered, from: sources).map {
      Candidate(ShortID.of($0.id), text.line($0).plain)
    }
  }
}
