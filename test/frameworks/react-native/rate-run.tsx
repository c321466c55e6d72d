// recipe
import { type HandedOverRun, useRunFeedback } from "@afterword/react";
import { Button, Text, View } from "react-native";

export function RateRun({ run, surveyId }: { run?: HandedOverRun; surveyId: string }) {
  const { canRate, result, rate } = useRunFeedback(run, surveyId);
  if (!canRate) return null;
  if (result === "stored" || result === "queued") return <Text>Thank you!</Text>;
  return (
    <View accessibilityLabel="Was this answer good?">
      <Button title="Good" onPress={() => void rate({ rating: 5 })} />
      <Button title="Bad" onPress={() => void rate({ rating: 1 })} />
    </View>
  );
}
// end
