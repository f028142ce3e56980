import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// The values that a person's store has, for a shell to offer. Where there is no store, or it cannot be read, there are none:
/// nobody reads an error between two words.
struct StoreValues: CompletionValues {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// So many of the last recorded are offered.
  private static let offered = 30

  func values(of kind: ValueKind, after arguments: [String]) -> [Candidate] {
    if kind == .file || kind == .folder { return [.files] }
    if kind == .setting { return Setting.all.map { Candidate($0.key, $0.help) } }
    if kind == .settingValue { return values(ofSetting: arguments.first) }
    guard let store = try? session.openStore().makeStore() else { return [] }
    return (try? values(of: kind, after: arguments, in: store)) ?? []
  }

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
    case .propertyKey: Set(try store.fetchAllPropertyDefinitions().map(\.key)).sorted().map { Candidate($0) }
    case .property: try properties(after: arguments, in: store)
    case .event: try events(from: Set(EventSourceType.allCases), in: store)
    case .trip: try events(from: [.trip], in: store)
    default: []
    }
  }

  /// `key=`, and `key=choice` of a select, of the type that was named before; of all types where none was.
  private func properties(after arguments: [String], in store: any DataStoreProtocol) throws -> [Candidate] {
    let type = try arguments.first.flatMap { name in
      try store.fetchAllEventTypes().first { $0.name.lowercased() == name.lowercased() }
    }
    return try store.fetchAllPropertyDefinitions().filter { type == nil || $0.eventTypeId == type?.id }
      .flatMap { definition in
        definition.propertyType == .select
          ? definition.options.map { Candidate("\(definition.key)=\($0)", definition.label) }
          : [Candidate("\(definition.key)=", definition.label)]
      }
  }

  private func events(from sources: Set<EventSourceType>, in store: any DataStoreProtocol) throws -> [Candidate] {
    let text = EventText(session: session, types: try store.fetchAllEventTypes())
    return try store.lastRecordedEvents(Self.offered, from: sources).map {
      Candidate(ShortID.of($0.id), text.line($0).plain)
    }
  }
}
