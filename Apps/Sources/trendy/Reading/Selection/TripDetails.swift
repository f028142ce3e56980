import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Options for details of a trip: vehicle, category and note.
struct TripDetails {
  static let all = [
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "vehicle"),
    OptionSpec("--category", value: "word", kind: .tripCategory, help: "category: business, private or mixed"),
    OptionSpec(
      "--business", value: "length", kind: .text, help: "business distance of a mixed trip"),
    OptionSpec.note,
  ]

  private let vehicleName: String?
  private let category: TripCategory?
  /// Business part of the distance, in metres.
  private let businessDistance: Double?
  private let note: String?

  init(_ session: Session) throws(CommandError) {
    vehicleName = session.arguments.value("--vehicle")
    businessDistance = try session.metres(option: "--business")
    category =
      if let word = session.arguments.value("--category") { try session.category(word) } else { nil }
    note = try session.note()
  }

  func apply(to trip: inout TripEvent, in store: any DataStoreProtocol) throws {
    if let vehicleName { trip.set(try Lookup(store: store).vehicle(vehicleName)) }
    if let note { trip.event.notes = note.asNote }
    // `--business` without a category makes the trip mixed.
    if let category = category ?? businessDistance.map({ _ in .mixed }) {
      trip.classify(category, businessMeters: businessDistance)
    }
  }
}
