import TrendyModels

extension Coordinate {
  /// Parses latitude and longitude from text such as `51.9270,4.3620`. Returns `nil` if it is invalid.
  init?(phrase text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.filter { $0 != " " }.replacing("−", with: "-"))
    }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    self.init(latitude: latitude, longitude: longitude)
    guard isValid else { return nil }
  }
}
