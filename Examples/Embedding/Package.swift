// swift-tools-version: 6.2
import PackageDescription

// An app that embeds Trendy from a checkout in a neighbouring folder. It declares only the packages below; their
// dependencies TrendyModels and TrendyProtocols can be imported without being declared. The build settings in Trendy's
// manifests are not required.
let package = Package(
  name: "Embedding",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "CoffeeJournal", targets: ["CoffeeJournal"]),
    .library(name: "DriveLogger", targets: ["DriveLogger"]),
  ],
  dependencies: [
    .package(path: "../../Packages/TrendyNetworking"),
    .package(path: "../../Packages/TrendyPersistence"),
    .package(path: "../../Packages/TrendySync"),
    .package(path: "../../Packages/TrendyTesting"),
    .package(path: "../../Packages/TrendyTrips"),
  ],
  targets: [
    .target(name: "CoffeeJournal", dependencies: ["TrendySync"]),
    .target(name: "DriveLogger", dependencies: ["TrendyPersistence", "TrendySync", "TrendyTrips"]),
    // Contains the README's code exactly as printed there.
    .target(name: "Readme", dependencies: ["TrendyNetworking", "TrendyPersistence", "TrendySync"]),
    // Contains the code of the article Recipes in the documentation of TrendySync.
    .target(name: "Recipes", dependencies: ["TrendyNetworking", "TrendyPersistence", "TrendySync"]),
    .testTarget(name: "ReadmeTests", dependencies: ["TrendySync", "TrendyTesting"]),
    .testTarget(name: "CoffeeJournalTests", dependencies: ["CoffeeJournal", "TrendySync", "TrendyTesting"]),
    .testTarget(name: "DriveLoggerTests", dependencies: ["DriveLogger", "TrendyTesting"]),
    .testTarget(name: "RecipesTests", dependencies: ["Recipes", "TrendySync", "TrendyTesting"]),
    // Uses the names, labels and defaults that apps and their tests rely on. A change to one of them breaks the build.
    .testTarget(name: "NamesTests", dependencies: ["TrendySync", "TrendyTesting", "TrendyTrips"]),
  ]
)
