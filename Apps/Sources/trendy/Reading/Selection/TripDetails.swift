import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// What a person says of a trip: its vehicle, what it was for, a note.
struct TripDetails {
  static let all = [
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "which one it was made with"),
    OptionSpec("--category", value: "word", kind: .tripCategory, help: "business, private or mixed"),
    OptionSpec(
      "--business", value: "length", kind: .text, help: "of a mixed trip, how much of it was business"),
    OptionSpec.note,
  ]

  private let vehicleName: String?
  private let category: TripCategory?
  /// Metres.
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
    // A share of business makes a trip a mixed one, unless another word was said.
    if let category = category ?? businessDistance.map({ _ in .mixed }) {
      trip.classify(category, businessMeters: businessDistance)
    }
  }
}
